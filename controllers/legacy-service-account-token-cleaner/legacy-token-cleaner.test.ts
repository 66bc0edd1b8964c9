import { describe, expect, it } from 'vitest';
import { configMaps, pods, secrets, serviceAccounts } from '../../api/groups/core-v1.ts';
import { isNotFound } from '../../api/status/api-error.ts';
import { useWorld } from '../../test/world/use-world.ts';
import { legacyTokenCleanerController } from './legacy-token-cleaner.ts';

const DAY = 86_400_000;
const PERIOD = DAY;
const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

interface Situation {
  /** Number of days since the server started to track token use; null for a server without tracking. */
  readonly trackedFor?: number | null;
  readonly lastUsed?: string;
  readonly invalidSince?: string;
  readonly named?: boolean;
  readonly mounted?: boolean;
  readonly uid?: string;
}

/** Starts a world with a ServiceAccount whose token is one `PERIOD` and one day old. */
async function start(situation: Situation = {}) {
  const { trackedFor = 10, named = true, mounted = false } = situation;
  const world = await useWorld({
    controllers: [],
    definitions: () => [legacyTokenCleanerController(PERIOD)],
  });
  const { client, clock, vocabulary } = world;
  const own = client.namespaced(secrets, 'team');
  const accounts = client.namespaced(serviceAccounts, 'team');
  const account = await accounts.create({
    metadata: { name: 'robot' },
    ...(named ? { secrets: [{ name: 't' }] } : {}),
  });
  const lastUsed = vocabulary.key('', 'legacy-token-last-used');
  const invalidSince = vocabulary.key('', 'legacy-token-invalid-since');
  await own.create({
    metadata: {
      name: 't',
      annotations: {
        [vocabulary.serviceAccountName]: 'robot',
        [vocabulary.serviceAccountUid]: situation.uid ?? account.metadata?.uid ?? '',
      },
      labels: {
        ...(situation.lastUsed === undefined ? {} : { [lastUsed]: situation.lastUsed }),
        ...(situation.invalidSince === undefined ? {} : { [invalidSince]: situation.invalidSince }),
      },
    },
    type: vocabulary.secretTypes.serviceAccountToken,
    data: { token: 'eA==' },
  });
  if (mounted) {
    await accounts.create({ metadata: { name: 'default' } });
    await client.namespaced(pods, 'team').create({
      metadata: { name: 'p' },
      spec: {
        containers: [{ name: 'c', image: 'i' }],
        volumes: [{ name: 'v', secret: { secretName: 't' } }],
      },
    });
  }
  await clock.advance(PERIOD + DAY);
  if (trackedFor !== null)
    await client.namespaced(configMaps, vocabulary.namespaces.system).create({
      metadata: { name: `${vocabulary.short}-apiserver-legacy-service-account-token-tracking` },
      data: { since: dateOf(clock.now() - trackedFor * DAY) },
    });
  const next = await world.startManager({ controllers: ['legacy-service-account-token-cleaner'] });
  await clock.advance(1_000);
  return {
    ...world,
    own,
    lastUsed,
    next,
    /** Returns the date of the mark, '' without a mark, or undefined if the token was deleted. */
    mark: () =>
      own.get('t').then(
        ({ metadata }) => metadata?.labels?.[invalidSince] ?? '',
        (thrown: unknown) => {
          if (isNotFound(thrown)) return undefined;
          throw thrown;
        },
      ),
  };
}
// The world starts on 1 January 2026, the manager on 3 January.
const TODAY = '2026-01-03';

describe('legacyTokenCleanerController', () => {
  it.each<[string, Situation, string | undefined]>([
    ['marks a token that was never used', {}, TODAY],
    ['marks a token that was last used long ago', { lastUsed: '2025-12-30' }, TODAY],
    ['keeps a token that was used recently', { lastUsed: '2026-01-02' }, ''],
    ['ignores a last use that is not a date', { lastUsed: 'yesterday' }, TODAY],
    ['keeps all tokens on a server without tracking', { trackedFor: null }, ''],
    ['keeps all tokens on a server whose tracking began recently', { trackedFor: 1 }, ''],
    ['keeps a token that its ServiceAccount does not name', { named: false }, ''],
    ['keeps a token of a deleted ServiceAccount of the same name', { uid: 'another' }, ''],
    ['keeps a token that a pod uses', { mounted: true }, ''],
    ['deletes a token that was marked a period ago', { invalidSince: '2025-12-30' }, undefined],
    ['keeps a token that was marked recently', { invalidSince: '2026-01-02' }, '2026-01-02'],
    ['marks a token again if its mark is not a date', { invalidSince: 'x' }, TODAY],
    [
      'never deletes a marked token that was used since',
      { invalidSince: '2025-12-30', lastUsed: '2026-01-02' },
      '2025-12-30',
    ],
    [
      'never deletes a marked token that a pod uses',
      { invalidSince: '2025-12-30', mounted: true },
      '2025-12-30',
    ],
  ])('%s', async (_what, situation, mark) => {
    const { mark: found } = await start(situation);
    expect(await found()).toBe(mark);
  });

  it('deletes a marked token exactly one period after the day of its mark', async () => {
    const { clock, mark } = await start();
    expect(await mark()).toBe(TODAY);
    await clock.advance(PERIOD - 60_000);
    expect(await mark()).toBe(TODAY);
    await clock.advance(DAY + 60_000);
    expect(await mark()).toBeUndefined();
  });

  it('keeps a token that is used during its deletion', async () => {
    const { clock, mark, own, next, lastUsed } = await start();
    let used: Promise<unknown> | undefined;
    next.faults.add(({ method }) => {
      if (method !== 'DELETE' || used) return undefined;
      return (used = own.patch('t', 'merge', { metadata: { labels: { [lastUsed]: dateOf(clock.now()) } } }));
    });
    await clock.advance(PERIOD + DAY);
    expect(used).toBeDefined();
    expect(await mark()).toBe(TODAY);
  });
});
