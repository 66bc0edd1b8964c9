import { createInMemoryOutbound } from '../../base/http/in-memory-outbound.ts';
import type { Outbound } from '../../base/http/outbound.ts';
import { BODY_LIMIT } from '../../apiserver/http/request/bodies.ts';
import { admissionPluginNames } from '../../apiserver/admission/plugin-table.ts';
import { LONG } from '../long.ts';
import { type CostServer, type CostlyRequest, send } from './cost.ts';

// The worst that was found for what a request goes through besides its body: admission, authorization, selectors, lists,
// answers of other servers.

export interface RequestCase {
  readonly what: string;
  /** Objects that a user can make, stored before the request is measured. */
  readonly prepare?: (server: CostServer) => Promise<void>;
  readonly request: () => CostlyRequest;
  /** Legitimate: must not be refused. Default whatever is answered quickly. */
  readonly status?: number;
}

/** Bytes of a generated body of which little is asked, and of a list of structs: more would be refused as it is decoded. */
const BYTES = LONG ? BODY_LIMIT - 1_000 : BODY_LIMIT / 3;
const LIST_BYTES = 300_000;
/** Stored objects of a large collection. */
const OBJECTS = LONG ? 5_000 : 300;
/** Bytes of a URL or of all headers: the listener takes no more than 64 KiB. */
const HEADER_BYTES = 60_000;

const listed = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

/** As many items as fit into `bytes`. */
function fill<T>(item: (at: number) => T, bytes: number = BYTES): T[] {
  const items: T[] = [];
  for (let left = bytes; ;) {
    const next = item(items.length);
    left -= JSON.stringify(next).length + 1;
    if (left < 0) return items;
    items.push(next);
  }
}

const mapOf = (entry: (at: number) => readonly [string, unknown], bytes?: number): object =>
  Object.fromEntries(fill(entry, bytes));

const core = '/api/v1/namespaces';
const post = (path: string, body: object): CostlyRequest => ({
  method: 'POST',
  path: `${path}?dryRun=All`,
  body: JSON.stringify(body),
});
const pod = (spec: object, namespace = 'default', metadata: object = {}): CostlyRequest =>
  post(`${core}/${namespace}/pods`, { metadata: { name: 'p', ...metadata }, spec });
const container = (at: number): object => ({ name: `c${at}`, image: 'i' });
const one = [container(0)];

/** A namespace in which pods can be made. */
const namespace =
  (name: string, metadata: object = {}, ...objects: readonly (readonly [string, object])[]) =>
  async ({ prepare }: CostServer): Promise<void> => {
    await prepare('POST', core, { metadata: { name, ...metadata } });
    await prepare('POST', `${core}/${name}/serviceaccounts`, { metadata: { name: 'default' } });
    for (const [plural, object] of objects) await prepare('POST', `${core}/${name}/${plural}`, object);
  };

const several =
  (...all: readonly ((server: CostServer) => Promise<void>)[]) =>
  async (server: CostServer): Promise<void> => {
    for (const each of all) await each(server);
  };

const collection =
  (path: string, count: number, object: (at: number) => object) =>
  async ({ prepare }: CostServer): Promise<void> => {
    for (let at = 0; at < count; at += 50)
      await Promise.all(
        listed(Math.min(50, count - at)).map((each) =>
          prepare('POST', path, { metadata: { name: `o${at + each}` }, ...object(at + each) }),
        ),
      );
  };

const enforce = { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } };
const warn = {
  labels: {
    'pod-security.kubernetes.io/warn': 'restricted',
    'pod-security.kubernetes.io/audit': 'baseline',
  },
};
const forbidden = (at: number): object => ({
  ...container(at),
  ports: [{ containerPort: 1, hostPort: at + 1 }],
  securityContext: { privileged: true, capabilities: { add: ['A', 'B'] } },
});
const toleration = (at: number): object => ({
  key: `k${at}`,
  operator: 'Equal',
  value: 'v',
  effect: 'NoSchedule',
});
const quota = (at: number): readonly [string, object] => [
  'resourcequotas',
  {
    metadata: { name: `q${at}` },
    spec: { hard: Object.fromEntries(listed(200).map((each) => [`requests.a.b/r${each}`, '1000000'])) },
  },
];

const admission: readonly RequestCase[] = [
  {
    what: 'owner references that block deletion',
    request: () =>
      post(`${core}/default/configmaps`, {
        metadata: {
          name: 'a',
          ownerReferences: fill((at) => ({
            apiVersion: 'v1',
            kind: 'ConfigMap',
            name: `o${at}`,
            uid: `u${at}`,
            blockOwnerDeletion: true,
          })),
        },
      }),
  },
  {
    what: 'containers that a pod security level forbids',
    prepare: namespace('enforced', enforce),
    request: () => pod({ containers: fill(forbidden, LIST_BYTES) }, 'enforced'),
  },
  {
    what: 'containers that a pod security level warns of',
    prepare: namespace('warned', warn),
    request: () => pod({ containers: fill(forbidden, LIST_BYTES) }, 'warned'),
  },
  {
    what: 'volumes that a pod security level forbids',
    prepare: namespace('volumes', enforce),
    request: () =>
      pod(
        {
          containers: one,
          volumes: fill((at) => ({ name: `v${at}`, hostPath: { path: '/a' } }), LIST_BYTES),
        },
        'volumes',
      ),
  },
  {
    what: 'a stricter level for a namespace with pods',
    prepare: several(
      namespace('stricter'),
      collection(`${core}/stricter/pods`, OBJECTS, () => ({
        spec: { containers: listed(20).map(forbidden) },
      })),
    ),
    request: () => ({
      method: 'PATCH',
      path: `${core}/stricter?dryRun=All`,
      contentType: 'application/merge-patch+json',
      body: JSON.stringify({ metadata: enforce }),
    }),
  },
  {
    what: 'bounds of a limit range',
    prepare: namespace('limited', {}, [
      'limitranges',
      {
        metadata: { name: 'l' },
        spec: {
          limits: [
            { type: 'Container', max: Object.fromEntries(listed(2_000).map((at) => [`a.b/r${at}`, '5'])) },
            { type: 'Pod', max: Object.fromEntries(listed(2_000).map((at) => [`a.b/r${at}`, '5'])) },
          ],
        },
      },
    ]),
    request: () => pod({ containers: fill(container, LIST_BYTES) }, 'limited'),
  },
  {
    what: 'quotas of a namespace',
    prepare: namespace('quoted', {}, ...listed(100).map(quota)),
    request: () =>
      pod(
        {
          containers: fill(
            (at) => ({
              ...container(at),
              resources: {
                requests: { [`a.b/r${at % 200}`]: '1' },
                limits: { [`a.b/r${at % 200}`]: '1' },
              },
            }),
            LIST_BYTES,
          ),
        },
        'quoted',
      ),
  },
  {
    what: 'labels that a node sets on itself',
    prepare: ({ prepare }) => prepare('POST', '/api/v1/nodes', { metadata: { name: 'n' } }),
    request: () => ({
      method: 'PATCH',
      path: '/api/v1/nodes/n?dryRun=All',
      contentType: 'application/merge-patch+json',
      user: 'node',
      body: JSON.stringify({ metadata: { labels: mapOf((at) => [`kubernetes.io/l${at}`, 'v']) } }),
    }),
  },
  {
    what: 'tolerations next to those of the namespace',
    prepare: namespace('tolerated', {
      annotations: {
        'scheduler.alpha.kubernetes.io/defaultTolerations': JSON.stringify(fill(toleration, 200_000)),
      },
    }),
    request: () =>
      pod({ containers: one, tolerations: fill((at) => toleration(-at), LIST_BYTES) }, 'tolerated'),
  },
  {
    what: 'tolerations that a namespace allows',
    prepare: namespace('allowed', {
      annotations: {
        'scheduler.alpha.kubernetes.io/tolerationsWhitelist': JSON.stringify(fill(toleration, 200_000)),
      },
    }),
    request: () =>
      pod({ containers: one, tolerations: fill((at) => toleration(-at), LIST_BYTES) }, 'allowed'),
  },
  {
    what: 'extended resources and tolerations',
    request: () =>
      pod({
        containers: [
          {
            ...container(0),
            resources: {
              requests: mapOf((at) => [`a.b/r${at}`, '1'], LIST_BYTES / 4),
              limits: mapOf((at) => [`a.b/r${at}`, '1'], LIST_BYTES / 4),
            },
          },
        ],
        tolerations: fill(toleration, LIST_BYTES / 4),
      }),
  },
  {
    what: 'secrets that a pod mounts, and its account does not name',
    prepare: async (server) => {
      await namespace('mounting')(server);
      await server.prepare('POST', `${core}/mounting/serviceaccounts`, {
        metadata: { name: 'picky', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } },
        secrets: fill((at) => ({ name: `s${at}` }), 200_000),
      });
    },
    request: () =>
      pod(
        {
          serviceAccountName: 'picky',
          containers: one,
          volumes: fill((at) => ({ name: `v${at}`, secret: { secretName: `s${at}` } }), LIST_BYTES),
        },
        'mounting',
      ),
  },
  {
    what: 'images that a service is asked about',
    request: () => pod({ containers: fill((at) => ({ name: `c${at}`, image: `image-${at}` }), LIST_BYTES) }),
  },
];

const groups = (count: number): string[] => listed(count).map((at) => `g${at}`);
const rules = (count: number): object[] =>
  listed(count).map((at) => ({ apiGroups: [`g${at}`], resources: [`r${at}`], verbs: ['get'] }));
const rbac = '/apis/rbac.authorization.k8s.io/v1';

const access: readonly RequestCase[] = [
  {
    what: 'a token of megabytes in a review',
    request: () =>
      post('/apis/authentication.k8s.io/v1/tokenreviews', {
        spec: { token: `a.b.${'c'.repeat(BYTES - 100)}` },
      }),
  },
  {
    what: 'audiences in a review of a token',
    request: () =>
      post('/apis/authentication.k8s.io/v1/tokenreviews', {
        spec: { token: 'alice-token', audiences: fill((at) => `a${at}`) },
      }),
  },
  {
    what: 'groups in a review of access',
    request: () =>
      post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        spec: {
          user: 'u',
          groups: fill((at) => `g${at}`),
          resourceAttributes: { verb: 'get', resource: 'pods' },
        },
      }),
  },
  {
    what: 'extra in a review of access',
    request: () =>
      post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        spec: {
          user: 'u',
          extra: mapOf((at) => [`k${at}`, ['v']]),
          resourceAttributes: { verb: 'get', resource: 'pods' },
        },
      }),
  },
  {
    what: 'groups to impersonate',
    request: () => ({
      method: 'GET',
      path: `${core}/default/configmaps/none`,
      headers: { 'impersonate-user': 'u', 'impersonate-group': groups(HEADER_BYTES / 25) },
    }),
  },
  {
    what: 'extra to impersonate',
    request: () => ({
      method: 'GET',
      path: `${core}/default/configmaps/none`,
      headers: {
        'impersonate-user': 'u',
        ...Object.fromEntries(listed(900).map((at) => [`impersonate-extra-k${at}`, ['v']])),
      },
    }),
  },
  {
    what: 'rules of roles that do not allow a request',
    prepare: async ({ prepare }) => {
      for (const role of listed(LONG ? 40 : 4)) {
        await prepare('POST', `${rbac}/clusterroles`, {
          metadata: { name: `many-${role}` },
          rules: rules(10_000),
        });
        await prepare('POST', `${rbac}/clusterrolebindings`, {
          metadata: { name: `many-${role}` },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: `many-${role}` },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'bound' }],
        });
      }
    },
    request: () => ({
      method: 'GET',
      path: `${core}/default/configmaps/none`,
      headers: { 'impersonate-user': 'bound' },
    }),
  },
  {
    what: 'a review of many rules',
    request: () => ({
      ...post('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', { spec: { namespace: 'default' } }),
      headers: { 'impersonate-user': 'bound' },
    }),
  },
];

/** A selector of as many requirements as a URL can have. */
const requirements = (each: (at: number) => string): string =>
  encodeURIComponent(
    listed(HEADER_BYTES)
      .map(each)
      .join(',')
      .slice(0, HEADER_BYTES / 1.5)
      .replace(/,[^,]*$/, ''),
  );
const maps = `${core}/collected/configmaps`;

const collections: readonly RequestCase[] = [
  {
    what: 'a list of large objects by label',
    prepare: several(
      namespace('collected'),
      collection(maps, OBJECTS, () => ({ data: { a: 'a'.repeat(1_000) } })),
    ),
    request: () => ({ method: 'GET', path: `${maps}?labelSelector=a%21%3Db` }),
    status: 200,
  },
  {
    what: 'a label selector of thousands of requirements',
    request: () => ({ method: 'GET', path: `${maps}?labelSelector=${requirements((at) => `a!=${at}`)}` }),
  },
  {
    what: 'a label selector of thousands of values',
    request: () => ({
      method: 'GET',
      path: `${maps}?labelSelector=${encodeURIComponent(`a notin (${listed(7_000).join(',')})`)}`,
    }),
  },
  {
    what: 'a field selector of thousands of requirements',
    request: () => ({
      method: 'GET',
      path: `${maps}?fieldSelector=${requirements((at) => `metadata.name!=${at}`)}`,
    }),
  },
  {
    what: 'a page by a selector that matches nothing',
    request: () => ({
      method: 'GET',
      path: `${maps}?limit=1&labelSelector=${requirements((at) => `a!=${at}`)},b=c`,
    }),
  },
  {
    what: 'a continue token of many bytes',
    request: () => ({
      method: 'GET',
      path: `${maps}?limit=1&continue=${Buffer.from(
        JSON.stringify({ v: 'meta.k8s.io/v1', rv: 1, start: 'a/'.repeat(20_000) }),
      ).toString('base64url')}`,
    }),
  },
  {
    what: 'the deletion of a collection',
    request: () => ({ method: 'DELETE', path: `${maps}?dryRun=All` }),
    status: 200,
  },
  {
    what: 'a watch with thousands of requirements',
    request: () => ({
      method: 'GET',
      path: `${maps}?watch=1&resourceVersion=0&labelSelector=${requirements((at) => `a!=${at}`)}`,
      events: OBJECTS,
    }),
  },
];

/** Fields of a definition of 1.5 MB, which is what release 1.24 stores at most; fewer in the short form. */
const FIELDS = LONG ? 13_000 : 4_000;
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const larges = '/apis/example.com/v1/namespaces/default/larges';
const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';

const grouped = (field: (at: number) => unknown, group: (fields: object) => unknown): object =>
  Object.fromEntries(
    listed(FIELDS / 100).map((at) => [
      `group${at}`,
      group(Object.fromEntries(listed(100).map((each) => [`field${each}`, field(each)]))),
    ]),
  );

const definition = (name: string, description: string): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${name}s.example.com` },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: `${name}s`, singular: name, kind: name, listKind: `${name}List` },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        additionalPrinterColumns: listed(100).map((at) => ({
          name: `c${at}`,
          type: 'string',
          jsonPath: `.spec.group${at % 40}.field${at}`,
        })),
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: grouped(
                  () => ({ type: 'string', description: description.repeat(60) }),
                  (properties) => ({ type: 'object', properties }),
                ),
              },
            },
          },
        },
      },
    ],
  },
});

const large = (name: string, value: string): object => ({
  apiVersion: 'example.com/v1',
  kind: 'large',
  metadata: { name },
  spec: grouped(
    () => value.repeat(100),
    (fields) => fields,
  ),
});

const change = (path: string, contentType: string, body: object, query = ''): CostlyRequest => ({
  method: 'PATCH',
  path: `${path}?dryRun=All${query}`,
  contentType,
  body: JSON.stringify(body),
});

const custom: readonly RequestCase[] = [
  {
    what: 'a new definition of 1.5 MB',
    request: () => post(definitions, definition('large', 'a')),
    status: 201,
  },
  {
    what: 'a new definition of 1.5 MB that is applied',
    request: () =>
      change(
        `${definitions}/larges.example.com`,
        APPLY,
        definition('large', 'a'),
        '&fieldManager=a&force=true',
      ),
    status: 201,
  },
  {
    what: 'a change of a definition of 1.5 MB',
    prepare: async ({ prepare, eventually, caller }) => {
      await prepare('POST', definitions, definition('large', 'a'));
      await eventually(
        async () => (await send(caller, { method: 'GET', path: larges, user: 'root' })).status === 200,
      );
    },
    request: () =>
      change(`${definitions}/larges.example.com`, MERGE, { spec: { names: { shortNames: ['l'] } } }),
    status: 200,
  },
  {
    what: 'a configuration of a definition of 1.5 MB that changes it',
    request: () =>
      change(
        `${definitions}/larges.example.com`,
        APPLY,
        definition('large', 'b'),
        '&fieldManager=a&force=true',
      ),
    status: 200,
  },
  {
    what: 'a new custom resource of 1.5 MB',
    request: () => post(larges, large('a', 'v')),
    status: 201,
  },
  {
    what: 'a change of a custom resource of 1.5 MB',
    prepare: ({ prepare }) => prepare('POST', larges, large('a', 'v')),
    request: () => change(`${larges}/a`, MERGE, { spec: { group0: { field0: 'w' } } }),
    status: 200,
  },
  {
    what: 'a configuration of a custom resource of 1.5 MB',
    request: () => change(`${larges}/a`, APPLY, large('a', 'w'), '&fieldManager=a&force=true'),
    status: 200,
  },
  {
    what: 'a custom resource of 1.5 MB as a table of many columns',
    request: () => ({
      method: 'GET',
      path: larges,
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    }),
    status: 200,
  },
  {
    what: 'the deletion of a custom resource of 1.5 MB',
    request: () => ({ method: 'DELETE', path: `${larges}/a?dryRun=All` }),
    status: 200,
  },
];

/** A webhook for ConfigMaps in a namespace of its own. */
const asked = (kind: 'Mutating' | 'Validating', name: string): ((server: CostServer) => Promise<void>) =>
  several(namespace(name, { labels: { ask: name } }), async ({ prepare }) =>
    prepare('POST', `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`, {
      metadata: { name },
      webhooks: [
        {
          name: `${name}.example.com`,
          clientConfig: { url: `https://${name}/` },
          namespaceSelector: { matchLabels: { ask: name } },
          rules: [
            { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] },
          ],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    }),
  );

const answers: readonly RequestCase[] = [
  {
    what: 'a patch of a webhook',
    prepare: asked('Mutating', 'patching'),
    request: () => post(`${core}/patching/configmaps`, { metadata: { name: 'a' }, data: { a: 'b' } }),
  },
  {
    what: 'an object that a webhook is shown',
    prepare: asked('Validating', 'shown'),
    request: () =>
      post(`${core}/shown/configmaps`, {
        metadata: { name: 'a' },
        data: mapOf((at) => [`k${at}`, 'v'], 100_000),
      }),
    status: 201,
  },
];

/** What webhooks of the cases answer, by host. */
export const webhookHosts: Hosts = {
  patching: (body) =>
    reviewed(body, {
      patchType: 'JSONPatch',
      patch: Buffer.from(
        JSON.stringify(fill((at) => ({ op: 'add', path: `/data/k${at}`, value: 'v' }), LIST_BYTES)),
      ).toString('base64'),
    }),
  shown: (body) => reviewed(body, {}),
};

function reviewed(body: Uint8Array, response: object): object {
  const { request, ...review } = JSON.parse(Buffer.from(body).toString()) as { request: { uid: string } };
  return { ...review, response: { uid: request.uid, allowed: true, ...response } };
}

export const requestCases: readonly RequestCase[] = [
  ...admission,
  ...access,
  ...collections,
  ...custom,
  ...answers,
];

const ANSWER_LIMIT = 64 * 1024 * 1024;

/** Servers that the API server asks, by host. */
export type Hosts = { readonly [host: string]: (body: Uint8Array) => unknown };

export const outboundTo = (hosts: Hosts): Outbound =>
  createInMemoryOutbound((origin) => {
    const answer = hosts[new URL(origin).hostname];
    if (answer === undefined) return undefined;
    return {
      handler: async (request) => ({
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(JSON.stringify(answer(await request.body(ANSWER_LIMIT)))),
      }),
    };
  });

/** Every plugin but those that refuse everything, or what other cases are about. */
export const enabledPlugins: readonly string[] = admissionPluginNames.filter(
  (name) =>
    ![
      'AlwaysDeny',
      'PodSecurityPolicy',
      'SecurityContextDeny',
      'EventRateLimit',
      'LimitPodHardAntiAffinityTopology',
      'NamespaceAutoProvision',
    ].includes(name),
);
