import { describe, expect, it } from 'vitest';
import { features } from '../../../api/features/features.ts';
import { builtinKinds } from '../../../api/groups/index.ts';
import { createScheme } from '../../../api/kinds/scheme.ts';
import { orchVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../../base/clock/simulated.ts';
import { createFeatureGates } from '../../../base/feature-gates/feature-gates.ts';
import { silentLogger } from '../../../base/log/logger.ts';
import { createSeededRandom } from '../../../base/random/seeded.ts';
import { createApiServer } from '../../server.ts';
import { createMemoryStorage } from '../../storage/memory.ts';
import { stampResourceVersion } from '../../storage/stamp.ts';
import { createInMemoryCaller } from '../in-memory.ts';

const HEADER = 'x-orch-write-while';
const LEASES = '/apis/coordination.orch.io/v1/namespaces/a/leases';
const LEASE = `${LEASES}/leader`;
const MAPS = '/api/v1/namespaces/a/configmaps';

interface Answered {
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: unknown;
  readonly metadata: { readonly uid: string; readonly resourceVersion: string };
}

/**
 * Starts a server with a Lease held by `me` in its third term. `stranger` may do everything except get
 * Leases.
 */
async function start(gates = ['ConditionalWrites=true']) {
  /** Called during the write of a ConfigMap, after the first check of its conditions. */
  const meanwhile: { run?: () => Promise<unknown> } = {};
  const server = createApiServer({
    scheme: createScheme(orchVocabulary, builtinKinds),
    environment: { clock: createSimulatedClock(), random: createSeededRandom(1), log: silentLogger },
    storage: createMemoryStorage({ stamp: stampResourceVersion }),
    features: createFeatureGates(features, gates),
    authenticators: [
      {
        name: 'test',
        authenticate: ({ headers }) => ({ user: { username: headers['user']?.[0] ?? 'admin', groups: [] } }),
      },
    ],
    authorizer: {
      name: 'test',
      authorize: ({ user, verb, resource }) => ({
        verdict: user.username === 'stranger' && verb === 'get' && resource === 'leases' ? 'deny' : 'allow',
        reason: '',
      }),
    },
    admission: [
      {
        name: 'Test',
        operations: ['CREATE', 'UPDATE', 'DELETE'],
        concerns: ({ plural }) => plural === 'configmaps',
        validate: async () => void (await meanwhile.run?.()),
      },
    ],
  });
  await server.start();
  const caller = createInMemoryCaller(server.handler);
  const call = async (method: string, url: string, body?: object, headers: Record<string, string> = {}) => {
    const type = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
    const response = await caller.request(method, url, {
      ...(body && { body }),
      headers: { ...type, ...headers },
    });
    const text = await response.text();
    const json = JSON.parse(text) as Answered;
    return { status: response.status, json, text, offered: response.header(HEADER) };
  };
  /** Sends a write with a condition. */
  const write = (condition: string, method: string, url: string, body?: object) =>
    call(method, url, body, { [HEADER]: condition });
  await call('POST', '/api/v1/namespaces', { metadata: { name: 'a' } });
  const lease = await call('POST', LEASES, {
    metadata: { name: 'leader' },
    spec: { holderIdentity: 'me', leaseTransitions: 3 },
  });
  const spec = (patch: object) => call('PATCH', LEASE, { spec: patch });
  return { call, write, spec, meanwhile, lease: lease.json.metadata };
}

const HELD = `${LEASE}?holder=me&transitions=3`;
const made = (name: string) => ({ metadata: { name } });

describe('a write with conditions', () => {
  it('is stored for each verb while the Lease is held, including after a renewal', async () => {
    const { write, spec, lease } = await start();
    const held = `${HELD}&uid=${lease.uid}`;
    expect((await write(held, 'POST', MAPS, made('x'))).status).toBe(201);
    await spec({ renewTime: '2026-01-01T00:00:00.000000Z' });
    expect((await write(held, 'PATCH', `${MAPS}/x`, { data: { k: '1' } })).status).toBe(200);
    expect((await write(held, 'PUT', `${MAPS}/x`, made('x'))).status).toBe(200);
    expect((await write(held, 'DELETE', `${MAPS}/x`)).status).toBe(200);
  });

  it('is rejected for each verb once another client holds the Lease, and changes nothing', async () => {
    const { call, write, spec } = await start();
    await call('POST', MAPS, made('x'));
    await spec({ holderIdentity: 'you', leaseTransitions: 4 });
    for (const [method, url, body] of [
      ['POST', MAPS, made('y')],
      ['POST', `${MAPS}?dryRun=All`, made('y')],
      ['PATCH', `${MAPS}/x`, { data: { k: '1' } }],
      ['PATCH', `${MAPS}/x`, {}],
      ['PUT', `${MAPS}/x`, made('x')],
      ['DELETE', `${MAPS}/x`],
      ['DELETE', MAPS],
    ] as const)
      expect((await write(HELD, method, url, body)).json).toMatchObject({
        code: 409,
        reason: 'Conflict',
        message:
          'Operation cannot be fulfilled on leases.coordination.orch.io "leader": the write has a condition on this ' +
          'object that does not hold: expected holder "me", found "you"',
        details: {
          name: 'leader',
          kind: 'leases',
          causes: [{ reason: 'WriteConditionFailed', field: 'holder' }],
        },
      });
    expect(await call('GET', `${MAPS}/x`)).toMatchObject({ json: { metadata: {} } });
    expect((await call('GET', `${MAPS}/y`)).status).toBe(404);
  });

  it.each([
    ['the same holder in a later term', { leaseTransitions: 4 }, 'expected transitions "3", found "4"'],
    ['no one', { holderIdentity: null }, 'expected holder "me", found ""'],
  ])('is rejected while %s holds the Lease', async (_holder, patch, why) => {
    const { write, spec } = await start();
    await spec(patch);
    expect((await write(HELD, 'POST', MAPS, made('x'))).json.message).toContain(why);
  });

  it('is rejected for a deleted Lease and for a re-created one', async () => {
    const { call, write, lease } = await start();
    const held = `${HELD}&uid=${lease.uid}`;
    await call('DELETE', LEASE);
    expect((await write(held, 'POST', MAPS, made('x'))).json.message).toContain('it does not exist');
    await call('POST', LEASES, {
      metadata: { name: 'leader' },
      spec: { holderIdentity: 'me', leaseTransitions: 3 },
    });
    expect((await write(held, 'POST', MAPS, made('x'))).json.message).toContain('expected uid');
  });

  it('is rejected after a change of an object whose version it requires, even if its other conditions hold', async () => {
    const { call, write } = await start();
    const { json } = await call('POST', MAPS, made('x'));
    const same = `${MAPS}/x?resourceVersion=${json.metadata.resourceVersion}`;
    expect((await write(`${same}, ${HELD}`, 'POST', MAPS, made('y'))).status).toBe(201);
    await call('PATCH', `${MAPS}/x`, { data: { k: '1' } });
    const late = await write(`${HELD},${same}`, 'POST', MAPS, made('z'));
    expect(late.json).toMatchObject({ code: 409, details: { name: 'x', kind: 'configmaps' } });
  });

  it.each(['POST', 'PATCH', 'DELETE'])(
    'by %s is rejected if the Lease changes hands after the first check, and stored if it is renewed',
    async (method) => {
      const { call, write, spec, meanwhile } = await start();
      for (const name of ['x', 'z']) await call('POST', MAPS, made(name));
      const attempt = (name: string) =>
        method === 'POST'
          ? write(HELD, 'POST', MAPS, made(`new-${name}`))
          : write(HELD, method, `${MAPS}/${name}`, method === 'PATCH' ? { data: { k: '1' } } : undefined);
      meanwhile.run = () => spec({ renewTime: '2026-01-01T00:00:00.000000Z' });
      expect((await attempt('x')).status).toBeLessThan(300);
      meanwhile.run = () => spec({ holderIdentity: 'you', leaseTransitions: 4 });
      expect((await attempt('z')).status).toBe(409);
      const { text } = await call('GET', MAPS);
      expect(text.includes('"new-z"') || text.includes('"k":"1"},"metadata":{"name":"z"')).toBe(false);
      expect(text).toContain('"name":"z"');
    },
  );
});

describe('the header of a write with conditions', () => {
  it.each([
    ['nonsense', 'expected the path of a stored object, got "nonsense"'],
    [`${LEASES}?uid=1`, 'expected the path of a stored object'],
    [`${LEASE}/status?uid=1`, 'expected the path of a stored object'],
    ['/apis/none/v1/namespaces/a/leases/b?uid=1', 'expected the path of a stored object'],
    ['/apis/coordination.orch.io/v1/leases/b?uid=1', 'expected the path of a stored object'],
    [`${HELD},`, 'expected the path of a stored object, got ""'],
    [LEASE, 'a condition on leases needs one of uid, resourceVersion, holder, transitions'],
    [
      `${LEASE}?renewTime=1`,
      'conditions on leases accept uid, resourceVersion, holder, transitions, got "renewTime=1"',
    ],
    [`${MAPS}/x?holder=me`, 'conditions on configmaps accept uid, resourceVersion, got "holder=me"'],
    [`${LEASE}?holder=`, 'got "holder="'],
    [Array(9).fill(HELD).join(), 'at most 8 conditions are accepted, got 9'],
  ])('is rejected with 400: %.60s', async (given, why) => {
    const { write } = await start();
    const { json } = await write(given, 'POST', MAPS, made('x'));
    expect(json).toMatchObject({ code: 400, reason: 'BadRequest' });
    expect(json.message).toContain(`invalid header ${HEADER}: `);
    expect(json.message).toContain(why);
  });

  it('requires the right to get the objects it names', async () => {
    const { call } = await start();
    const asked = { [HEADER]: HELD, user: 'stranger' };
    const refused = await call('POST', MAPS, made('x'), asked);
    expect(refused.json).toMatchObject({ code: 403, reason: 'Forbidden' });
    expect(refused.json.message).toContain('cannot get resource "leases"');
  });

  it('is ignored for reads', async () => {
    const { call } = await start();
    expect((await call('GET', MAPS, undefined, { [HEADER]: 'nonsense' })).status).toBe(200);
  });

  it('lists the supported conditions at /api and /apis, and is ignored without the feature gate', async () => {
    const on = await start();
    for (const path of ['/api', '/apis'])
      expect((await on.call('GET', path)).offered).toBe('uid, resourceVersion, holder, transitions');
    const off = await start([]);
    expect((await off.call('GET', '/api')).offered).toBeUndefined();
    expect((await off.write('nonsense', 'POST', MAPS, made('x'))).status).toBe(201);
  });
});
