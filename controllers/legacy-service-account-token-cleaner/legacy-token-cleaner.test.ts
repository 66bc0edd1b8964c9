import { describe, expect, it } from 'vitest';
import { configMaps, pods, secrets, serviceAccounts } from '../../api/groups/core-v1.ts';
import { isNotFound } from '../../api/status/api-error.ts';
import { useWorld } from '../../test/world/use-world.ts';
import { legacyTokenCleanerController } from './legacy-token-cleaner.ts';

const DAY = 86_400_000;
const PERIOD = DAY;
const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

interface Situation {
  /** Days before now that tracking began; null for a server that does not track. */
  readonly trackedFor?: number | null;
  readonly lastUsed?: string;
  readonly invalidSince?: string;
  readonly named?: boolean;
  readonly mounted?: boolean;
  readonly uid?: string;
}

/** An account with a token, `PERIOD` and a day old. */
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
    /** The date it is marked with, '' for none, undefined when it is gone. */
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
// The world begins on 1 January 2026; the manager is there on the 3rd.
const TODAY = '2026-01-03';

describe('cleaner of legacy service account tokens', () => {
  it.each<[string, Situation, string | undefined]>([
    ['marks one that was never used', {}, TODAY],
    ['marks one that was last used long ago', { lastUsed: '2025-12-30' }, TODAY],
    ['leaves one that was used lately', { lastUsed: '2026-01-02' }, ''],
    ['takes a last use that is no date for none', { lastUsed: 'yesterday' }, TODAY],
    ['leaves all on a server that does not track', { trackedFor: null }, ''],
    ['leaves all on a server that tracks only lately', { trackedFor: 1 }, ''],
    ['leaves one its account does not name: somebody made it', { named: false }, ''],
    ['leaves one of another account of the name', { uid: 'another' }, ''],
    ['leaves one that a pod has', { mounted: true }, ''],
    ['deletes one that was marked a period ago', { invalidSince: '2025-12-30' }, undefined],
    ['keeps one that was marked lately', { invalidSince: '2026-01-02' }, '2026-01-02'],
    ['marks one anew whose mark is no date', { invalidSince: 'x' }, TODAY],
    [
      'never deletes a marked one that was used since',
      { invalidSince: '2025-12-30', lastUsed: '2026-01-02' },
      '2025-12-30',
    ],
    [
      'never deletes a marked one that a pod has',
      { invalidSince: '2025-12-30', mounted: true },
      '2025-12-30',
    ],
  ])('%s', async (_what, situation, mark) => {
    const { mark: found } = await start(situation);
    expect(await found()).toBe(mark);
  });

  it('deletes a marked one a period after the day of its mark, and not before', async () => {
    const { clock, mark } = await start();
    expect(await mark()).toBe(TODAY);
    await clock.advance(PERIOD - 60_000);
    expect(await mark()).toBe(TODAY);
    await clock.advance(DAY + 60_000);
    expect(await mark()).toBeUndefined();
  });

  it('a use in the moment of the deletion keeps it', async () => {
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
