import { createInMemoryOutbound } from '../../../base/http/in-memory-outbound.ts';
import type { Outbound } from '../../../base/http/outbound.ts';
import type { CostServer } from '../cost.ts';
import { core, fill, LIST_BYTES, mapOf, namespace, post, type RequestCase, several } from './request-case.ts';

/** Creates a webhook for ConfigMaps in a dedicated namespace. */
const withWebhook = (
  kind: 'Mutating' | 'Validating',
  name: string,
): ((server: CostServer) => Promise<void>) =>
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

/** Requests for which webhooks send expensive responses. */
export const answers: readonly RequestCase[] = [
  {
    what: 'a patch of a webhook',
    prepare: withWebhook('Mutating', 'patching'),
    request: () => post(`${core}/patching/configmaps`, { metadata: { name: 'a' }, data: { a: 'b' } }),
  },
  {
    what: 'an object sent to a webhook',
    prepare: withWebhook('Validating', 'shown'),
    request: () =>
      post(`${core}/shown/configmaps`, {
        metadata: { name: 'a' },
        data: mapOf((at) => [`k${at}`, 'v'], 100_000),
      }),
    status: 201,
  },
];

/** Responses of the webhooks, by host. */
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

const ANSWER_LIMIT = 64 * 1024 * 1024;

/** Remote servers that the API server calls, by host. */
export type Hosts = { readonly [host: string]: (body: Uint8Array) => unknown };

/** Creates an outbound transport to the given hosts. */
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
