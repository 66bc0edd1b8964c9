import { describe, expect, it } from 'vitest';
import { events, eventsV1, pods } from '../../api/groups/index.ts';
import type { ApiObject } from '../../api/kinds/kind.ts';
import { kubernetesVocabulary as v, orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import type { AdmissionRequest } from '../request.ts';
import { createEventRateLimit } from './event-rate-limit.ts';
import { admit } from './request.fixture.ts';

type Limit = Readonly<Record<string, unknown>>;
const configuration = (...limits: Limit[]): unknown => ({
  apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1',
  kind: 'Configuration',
  limits,
});
const start = (...limits: Limit[]) => {
  const clock = createSimulatedClock();
  const plugin = createEventRateLimit({ vocabulary: v, clock }, configuration(...limits));
  const send = (over: Partial<AdmissionRequest> = {}): Promise<unknown> =>
    admit(plugin, { kind: events, object: event(), ...over });
  return { clock, plugin, send };
};
const event = (component = 'kubelet', about = 'web'): ApiObject =>
  ({
    metadata: { name: 'e' },
    source: { component },
    involvedObject: { kind: 'Pod', name: about },
  }) as ApiObject;
const by = (username: string) => ({ user: { username, groups: [] } });

describe('EventRateLimit', () => {
  it("rejects events with upstream's message, without Retry-After", async () => {
    const { send } = start({ type: 'Namespace', qps: 1, burst: 1 });
    await send();
    await expect(send()).rejects.toMatchObject({
      code: 429,
      reason: 'TooManyRequests',
      message: 'Too many requests: limit reached on type Namespace for key ns',
      retryAfterSeconds: undefined,
    });
  });

  it.each<[string, Partial<AdmissionRequest>, Partial<AdmissionRequest>, string]>([
    ['Server', {}, { namespace: 'other', ...by('bob'), object: event('x', 'y') }, ''],
    ['Namespace', { namespace: 'a' }, { namespace: 'a', ...by('bob') }, 'a'],
    ['User', by('bob'), { namespace: 'other', ...by('bob') }, 'bob'],
    ['SourceAndObject', {}, { namespace: 'other', ...by('bob') }, 'kubeletPodweb'],
  ])('counts events with the same key together for type %s', async (type, first, second, key) => {
    const { send } = start({ type, qps: 1, burst: 1 });
    await send(first);
    await expect(send(second)).rejects.toThrow(`limit reached on type ${type} for key ${key}`);
  });

  it.each<[string, Partial<AdmissionRequest>, Partial<AdmissionRequest>]>([
    ['Namespace', { namespace: 'a' }, { namespace: 'b' }],
    ['User', by('alice'), by('bob')],
    ['SourceAndObject', { object: event('kubelet', 'web') }, { object: event('kubelet', 'db') }],
    ['SourceAndObject', { object: event('kubelet', 'web') }, { object: event('scheduler', 'web') }],
  ])('counts events with different keys separately for type %s', async (type, first, second) => {
    const { send } = start({ type, qps: 1, burst: 1 });
    await send(first);
    await send(second);
    await expect(send(first)).rejects.toThrow('limit reached');
    await expect(send(second)).rejects.toThrow('limit reached');
  });

  it('admits a burst immediately, and then its sustained rate', async () => {
    const { clock, send } = start({ type: 'Server', qps: 2, burst: 3 });
    const admitted = async (tries: number): Promise<number> => {
      let count = 0;
      for (let i = 0; i < tries; i++)
        await send().then(
          () => count++,
          () => undefined,
        );
      return count;
    };
    expect(await admitted(10)).toBe(3);
    await clock.advance(499);
    expect(await admitted(10)).toBe(0);
    await clock.advance(1);
    expect(await admitted(10)).toBe(1);
    await clock.advance(1_000);
    expect(await admitted(10)).toBe(2);
    await clock.advance(3_600_000);
    expect(await admitted(10)).toBe(3);
  });

  it('evicts the least recently used bucket, and refills it completely', async () => {
    const { send } = start({ type: 'Namespace', qps: 1, burst: 1, cacheSize: 2 });
    for (const namespace of ['a', 'b', 'c', 'a']) await send({ namespace });
    await expect(send({ namespace: 'c' })).rejects.toThrow('for key c');
  });

  it('takes a token of every bucket even if one rejects, and returns the last rejection', async () => {
    const { send } = start(
      { type: 'Namespace', qps: 1, burst: 1 },
      { type: 'User', qps: 1, burst: 2 },
      { type: 'Server', qps: 1, burst: 9 },
    );
    await send();
    await expect(send()).rejects.toThrow('type Namespace');
    await expect(send({ namespace: 'other' })).rejects.toThrow('type User');
  });

  it('counts updates and events of both groups, but neither dry runs nor other kinds', async () => {
    const { plugin, send } = start({ type: 'SourceAndObject', qps: 1, burst: 2 });
    const same = { deprecatedSource: { component: 'kubelet' }, regarding: { kind: 'Pod', name: 'web' } };
    for (let i = 0; i < 5; i++) await send({ dryRun: true });
    await send({ operation: 'UPDATE' });
    await send({ kind: eventsV1, object: { metadata: { name: 'e' }, ...same } as ApiObject });
    await expect(send()).rejects.toThrow('limit reached');
    expect([events, eventsV1, pods].map((kind) => plugin.concerns?.(kind))).toEqual([true, true, false]);
  });

  it.each<[string, unknown, string]>([
    ['none', undefined, 'limits: Invalid value: []: must not be empty'],
    ['no limits', configuration(), 'limits: Invalid value: []: must not be empty'],
    [
      'an unknown type',
      configuration({ type: 'Node', qps: 1, burst: 1 }),
      'limits[0].type: Unsupported value: "Node": supported values: "Namespace", "Server", "SourceAndObject", "User"',
    ],
    [
      'numbers out of range',
      configuration({ type: 'User', qps: 0, burst: -1, cacheSize: -1 }),
      '[limits[0].burst: Invalid value: -1: must be positive, limits[0].qps: Invalid value: 0: must be positive, limits[0].cacheSize: Invalid value: -1: must not be negative]',
    ],
    [
      'a value that is no number',
      configuration({ type: 'User', qps: '1', burst: 1 }),
      'limits[0].qps must be a whole number',
    ],
    ['limits that are no list', { ...(configuration() as object), limits: {} }, 'limits must be a list'],
    [
      'another kind',
      { kind: 'Other' },
      'received "Other" of undefined: expected Configuration of eventratelimit',
    ],
  ])('rejects a configuration with %s', (_what, given, message) => {
    expect(() => createEventRateLimit({ vocabulary: v, clock: createSimulatedClock() }, given)).toThrow(
      message,
    );
  });

  it('accepts its configuration in the vocabulary of the server', () => {
    const given = { vocabulary: orchVocabulary, clock: createSimulatedClock() };
    const limits = [{ type: 'Server', qps: 1, burst: 1, cacheSize: -1 }];
    const apiVersion = 'eventratelimit.admission.orch.io/v1alpha1';
    expect(createEventRateLimit(given, { apiVersion, kind: 'Configuration', limits }).name).toBe(
      'EventRateLimit',
    );
  });
});
