import { afterEach, describe, expect, it } from 'vitest';
import { parseAbacPolicies } from '../../apiserver/authorization/abac-policy.ts';
import type { AuthorizationMode } from '../../apiserver/authorization/modes.ts';
import { parseTokenFile } from '../../apiserver/auth/token-file.ts';
import { createInMemoryCaller } from '../../apiserver/http/in-memory.ts';
import type { Remote } from '../../apiserver/outbound/remote-review.ts';
import { createInMemoryOutbound } from '../../base/http/in-memory-outbound.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { type World, createWorld } from '../world/world.ts';

const POLICY = JSON.stringify({
  apiVersion: 'abac.authorization.kubernetes.io/v1beta1',
  kind: 'Policy',
  spec: { user: 'alice', namespace: '*', resource: 'configmaps', readonly: true },
});
const origin = 'https://authz.example';
const remote: Remote = { peer: { origin }, path: '/', credentials: () => Promise.resolve({}) };

/** Authorization webhook that allows services to alice, denies everything to bob, and fails for carol. */
const service = createInMemoryOutbound(() => ({
  handler: async (request) => {
    const { spec } = JSON.parse((await request.body(1 << 20)).toString()) as {
      readonly spec: { readonly user: string; readonly resourceAttributes?: { readonly resource: string } };
    };
    const allowed = spec.user === 'alice' && spec.resourceAttributes?.resource === 'services';
    const answer = {
      kind: 'SubjectAccessReview',
      apiVersion: 'authorization.k8s.io/v1',
      status: { allowed, denied: spec.user === 'bob', reason: 'the service says so' },
    };
    return {
      status: spec.user === 'carol' ? 403 : 200,
      headers: {},
      body: Buffer.from(JSON.stringify(answer)),
    };
  },
}));

let world: World | undefined;
afterEach(() => world?.stop());

async function start(modes: readonly AuthorizationMode[]) {
  world = await createWorld({
    vocabulary: kubernetesVocabulary,
    controllers: [],
    assembly: {
      tokenFile: parseTokenFile('alice-token,alice,1\nbob-token,bob,2\ncarol-token,carol,3\n'),
      outbound: service,
      authorization: {
        modes,
        policies: parseAbacPolicies(POLICY, 'p', kubernetesVocabulary).policies,
        webhook: { remote, version: 'v1', authorizedTtlMs: 0, unauthorizedTtlMs: 0 },
      },
    },
  });
  const caller = createInMemoryCaller(world.server.handler);
  return async (who: string, path: string, body?: object) => {
    const headers = who === '' ? {} : { authorization: `Bearer ${who}-token` };
    const response = await caller.request(body === undefined ? 'GET' : 'POST', path, { headers, body });
    return { status: response.status, text: await response.text() };
  };
}

const maps = '/api/v1/configmaps';
const services = '/api/v1/services';
const pods = '/api/v1/pods';

describe.each<[modes: readonly AuthorizationMode[], rows: readonly [string, string, number, string][]]>([
  [
    ['AlwaysAllow'],
    [
      ['alice', '/metrics', 200, ''],
      // AlwaysAllow still requires authentication.
      ['', '/version', 401, 'Unauthorized'],
    ],
  ],
  [['AlwaysDeny'], [['alice', '/api', 403, 'Everything is forbidden.']]],
  [['AlwaysDeny', 'AlwaysAllow'], [['alice', pods, 200, '']]],
  [
    ['ABAC'],
    [
      ['alice', maps, 200, ''],
      ['alice', pods, 403, 'No policy matched.'],
      ['bob', maps, 403, 'No policy matched.'],
      ['alice', '/api', 403, 'No policy matched.'],
    ],
  ],
  [
    ['ABAC', 'RBAC'],
    [
      ['alice', maps, 200, ''],
      ['bob', '/api', 200, ''],
      ['bob', maps, 403, 'No policy matched.'],
    ],
  ],
  [
    ['Webhook', 'RBAC', 'ABAC'],
    [
      ['alice', services, 200, ''],
      ['alice', maps, 200, ''],
      ['alice', pods, 403, 'the service says so\\nNo policy matched.'],
      ['bob', '/api', 403, 'the service says so'],
      ['carol', '/api', 200, ''],
      [
        'carol',
        pods,
        500,
        'Internal Server Error: "/api/v1/pods": Post "https://authz.example/": unexpected',
      ],
    ],
  ],
  [
    ['RBAC', 'Webhook'],
    [
      // The first mode with an opinion decides, so the webhook is never called.
      ['bob', '/api', 200, ''],
      ['bob', pods, 403, 'the service says so'],
    ],
  ],
])('in modes %s', (modes, rows) => {
  it('the first mode with an opinion decides a request', async () => {
    const ask = await start(modes);
    for (const [who, path, status, why] of rows) {
      const answer = await ask(who, path);
      expect({ who, path, status: answer.status }).toEqual({ who, path, status });
      if (why !== '') expect(answer.text).toContain(why);
    }
  });
});

describe('rules review of a user', () => {
  const review = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';
  const rulesOf = async (modes: readonly AuthorizationMode[]) => {
    const ask = await start(modes);
    const { text } = await ask('alice', review, { spec: { namespace: 'default' } });
    return (JSON.parse(text) as { readonly status: { readonly resourceRules: readonly unknown[] } }).status;
  };

  it('unites the rules of all modes', async () => {
    const { resourceRules, ...rest } = await rulesOf(['ABAC', 'RBAC']);
    expect(rest).toMatchObject({ incomplete: false });
    expect(resourceRules).toContainEqual({
      verbs: ['get', 'list', 'watch'],
      apiGroups: [''],
      resources: ['configmaps'],
    });
    expect(resourceRules).toContainEqual({
      verbs: ['create'],
      apiGroups: ['authorization.k8s.io'],
      resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
    });
  });

  it('is incomplete if a webhook decides', async () => {
    expect(await rulesOf(['RBAC', 'Webhook'])).toMatchObject({
      incomplete: true,
      evaluationError: 'webhook authorizer does not support user rule resolution',
    });
  });
});
