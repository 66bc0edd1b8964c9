import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { generateKeyPair } from '../../base/pki/keys.ts';
import { createCertificateRequest } from '../../base/pki/request.ts';
import { createWorkbench } from '../e2e/process.ts';
import { bodies, isReview } from './client-node-bodies.ts';
import { type ClientNode, type KubeConfig, findClientNode } from './client-node.ts';

const found = await findClientNode('the generated classes of @kubernetes/client-node');

type Call = (options?: object) => Promise<unknown>;
type GeneratedApi = Readonly<Record<string, Call>>;
type GeneratedClass = new (...parts: never[]) => GeneratedApi;

const classes = Object.entries(found ?? {}).filter(
  ([name, value]) => /^[A-Z]\w*Api$/.test(name) && typeof value === 'function',
) as readonly (readonly [string, GeneratedClass])[];
const versioned = classes.filter(([name]) => /V\d+(?:(?:alpha|beta)\d+)?Api$/.test(name));

/** Generated classes of the API versions that 1.24 serves. The library also has classes of later releases. */
const SERVED = [
  'AdmissionregistrationV1Api',
  'ApiextensionsV1Api',
  'ApiregistrationV1Api',
  'AppsV1Api',
  'AuthenticationV1Api',
  'AuthorizationV1Api',
  'AutoscalingV1Api',
  'AutoscalingV2Api',
  'BatchV1Api',
  'CertificatesV1Api',
  'CoordinationV1Api',
  'CoreV1Api',
  'DiscoveryV1Api',
  'EventsV1Api',
  'NetworkingV1Api',
  'NodeV1Api',
  'PolicyV1Api',
  'RbacAuthorizationV1Api',
  'SchedulingV1Api',
  'StorageV1Api',
];

interface Resource {
  readonly name: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

const classOf = (name: string): GeneratedClass => {
  const entry = classes.find(([each]) => each === name);
  if (entry === undefined) throw new Error(`the library has no ${name}`);
  return entry[1];
};

const methodsOf = (name: string): readonly string[] =>
  Object.getOwnPropertyNames(classOf(name).prototype as object).filter(
    (method) => !method.endsWith('WithHttpInfo'),
  );

describe.skipIf(found === undefined)('generated classes of client-node', () => {
  const library = found as ClientNode;
  const bench = createWorkbench();
  let config: KubeConfig;
  /** Calls a method of a class. The error of a rejection contains the names of both. */
  async function call(name: string, method: string, options?: object): Promise<unknown> {
    const api = config.makeApiClient(classOf(name));
    if (api[method] === undefined) throw new Error(`${name} has no method ${method}`);
    try {
      return await api[method](options);
    } catch (failure) {
      throw new Error(`${name}.${method}: ${failure instanceof Error ? failure.message : ''}`, {
        cause: failure,
      });
    }
  }
  const codeOf = (failure: Error): unknown => (failure.cause as { readonly code?: number }).code;
  const namespace = 'default';

  beforeAll(async () => {
    const folder = join(bench.folder(), 'data');
    const argv = ['up', '--data-dir', folder, '--secure-port', '0', '--vocabulary', 'kubernetes'];
    await bench.orch(argv).output(/^ready https/m);
    config = new library.KubeConfig();
    config.loadFromFile(join(folder, 'admin.conf'));
    const body = { metadata: { name: 'bound' }, ...bodies['Pod'] };
    // A controller creates the ServiceAccount that the pod needs.
    await vi.waitFor(() => call('CoreV1Api', 'createNamespacedPod', { namespace, body }), {
      timeout: 60_000,
      interval: 100,
    });
  });
  afterAll(() => bench.close());

  const request = (): string =>
    Buffer.from(
      createCertificateRequest(generateKeyPair('ec-p256'), { commonName: 'jane', organizations: [] }),
    ).toString('base64');

  /** Returns a body to create. Two kinds need a unique body for each call. */
  const bodyOf = (kind: string, group: string): object => {
    const metadata = { name: `classes-${group}-${kind}`.toLowerCase() };
    const regarding = { apiVersion: 'v1', kind: 'Pod', name: 'bound', namespace };
    if (kind === 'Event')
      return group === 'EventsV1Api'
        ? {
            metadata,
            regarding,
            type: 'Normal',
            reason: 'Tested',
            action: 'Test',
            reportingController: 'example.com/tester',
            reportingInstance: 'tester-1',
            eventTime: new library.V1MicroTime(),
          }
        : { metadata, involvedObject: regarding, reason: 'Tested', type: 'Normal' };
    const body = { ...(isReview(kind) ? {} : { metadata }), ...bodies[kind] } as { spec?: object };
    if (kind === 'CertificateSigningRequest') return { ...body, spec: { ...body.spec, request: request() } };
    return body;
  };

  it('exist for exactly the served versions', async () => {
    const answers = await Promise.all(
      versioned.map(
        async ([name]) => [name, await call(name, 'getAPIResources').then(() => 200, codeOf)] as const,
      ),
    );
    const served = answers.filter(([, code]) => code === 200).map(([name]) => name);
    expect(served).toEqual(expect.arrayContaining(SERVED));
    const others = answers.filter(([name]) => !served.includes(name));
    expect(others.map(([, code]) => code)).toEqual(others.map(() => 404));
  });

  /** Creates one object of a kind with the create method of its class. */
  async function create(name: string, kind: string): Promise<void> {
    const method = methodsOf(name).find(
      (each) => each === `create${kind}` || each === `createNamespaced${kind}`,
    );
    const made = await call(name, method ?? `create${kind}`, { namespace, body: bodyOf(kind, name) });
    expect(made, kind).toMatchObject(isReview(kind) ? {} : { metadata: { uid: expect.any(String) } });
  }

  /** Lists a kind with every list method of its class. Returns the minimum number of objects found. */
  async function list(name: string, kind: string): Promise<number> {
    const methods = methodsOf(name).filter((each) =>
      [`list${kind}`, `listNamespaced${kind}`, `list${kind}ForAllNamespaces`].includes(each),
    );
    expect(methods.length, `methods of ${name} that list ${kind}`).toBeGreaterThan(0);
    const lists = await Promise.all(methods.map((method) => call(name, method, { namespace })));
    return Math.min(...lists.map((each) => (each as { items: readonly object[] }).items.length));
  }

  it.each(SERVED)('list every kind of %s and create an object of it', async (name) => {
    const { resources } = (await call(name, 'getAPIResources')) as { resources: readonly Resource[] };
    for (const { kind, verbs } of resources.filter((each) => !each.name.includes('/'))) {
      if (verbs.includes('create')) await create(name, kind);
      if (verbs.includes('list'))
        expect(await list(name, kind), kind).toBeGreaterThanOrEqual(verbs.includes('create') ? 1 : 0);
    }
  });

  it('describe their group if they have no version', async () => {
    for (const name of ['AppsApi', 'BatchApi', 'CertificatesApi', 'RbacAuthorizationApi', 'StorageApi'])
      expect(await call(name, 'getAPIGroup')).toMatchObject({ kind: 'APIGroup' });
    expect(await call('CoreApi', 'getAPIVersions')).toMatchObject({ versions: ['v1'] });
    expect(await call('VersionApi', 'getCode')).toMatchObject({ major: '1', minor: '24' });
  });
});
