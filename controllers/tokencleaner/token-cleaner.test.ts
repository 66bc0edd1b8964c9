import { describe, expect, it } from 'vitest';
import { secrets } from '../../api/groups/core-v1.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { conflict, forbidden, notFound } from '../../api/status/api-error.ts';
import type { Secret } from '../../api/types/core-v1.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { toTime } from '../../base/clock/clock.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import type { Client, DeleteOptions } from '../../runtime/client/client.ts';
import { createController } from '../../runtime/controller/run-controller.ts';
import { noEvents } from '../../runtime/events/recorder.ts';
import { createJournal } from '../../runtime/journal/memory-journal.ts';
import { createMemoryQueues } from '../../runtime/queue/memory-queue.ts';
import { createHandFedInformers } from '../../test/hand-fed-informers.ts';
import { mutated } from '../../test/world/mutated.ts';
import { tokenCleanerController } from './token-cleaner.ts';

const [definition = tokenCleanerController] = await mutated([tokenCleanerController]);

const HOUR_MS = 3_600_000;
const namespace = orchVocabulary.namespaces.system;
const resource = { group: '', resource: 'secrets' };

const token = (
  id: string,
  expiration: string | undefined,
  uid = `uid-${id}`,
  resourceVersion = '1',
): Secret => ({
  metadata: { namespace, name: `bootstrap-token-${id}`, uid, resourceVersion },
  type: orchVocabulary.secretTypes.bootstrapToken,
  data: {
    'token-secret': Buffer.from('f395accd246ae52d').toString('base64'),
    ...(expiration === undefined ? {} : { expiration: Buffer.from(expiration).toString('base64') }),
  },
});

interface Deletion {
  readonly name: string;
  readonly atMs: number;
  readonly preconditions: DeleteOptions['preconditions'];
}

async function start(answer: (name: string, attempt: number) => void = () => {}, aheadMs = 0) {
  const clock = createSimulatedClock();
  const random = createSeededRandom(1);
  const fed = createHandFedInformers();
  const journal = createJournal({ clock });
  const deletions: Deletion[] = [];
  const stored = new Map<string, Secret>();
  const client = {
    serverClock: clock,
    namespaced: () => ({
      getDated: async (name: string) => {
        const object = stored.get(name);
        if (!object) throw notFound(resource, name);
        return { object, serverMs: clock.now() - aheadMs };
      },
      delete: async (name: string, { preconditions }: DeleteOptions) => {
        deletions.push({ name, atMs: clock.monotonic(), preconditions });
        answer(name, deletions.length);
      },
    }),
  } as unknown as Client;
  const controller = createController(definition, {
    clock,
    random,
    log: silentLogger,
    client,
    scheme: createScheme(orchVocabulary, []),
    informers: fed.informers,
    queues: createMemoryQueues({ clock, random, log: silentLogger }),
    events: noEvents,
    journal,
  });
  fed.fill();
  await controller.start();
  const afterStart = (ms: number): string => toTime(clock.now() + ms);
  return {
    clock,
    deletions,
    journal,
    stored,
    afterStart,
    apply: (secret: Secret) => {
      stored.set(secret.metadata?.name ?? '', secret);
      fed.apply(secrets, secret);
    },
    remove: (secret: Secret) => {
      stored.delete(secret.metadata?.name ?? '');
      fed.remove(secrets, secret);
    },
  };
}

describe('tokenCleanerController', () => {
  it('deletes an expired token with its uid and resource version as preconditions', async () => {
    const made = await start();
    made.apply(token('a', made.afterStart(-HOUR_MS)));
    await made.clock.advance(0);
    expect(made.deletions).toEqual([
      { name: 'bootstrap-token-a', atMs: 0, preconditions: { uid: 'uid-a', resourceVersion: '1' } },
    ]);
  });

  it('deletes a token exactly at its expiry', async () => {
    const made = await start();
    made.apply(token('a', made.afterStart(HOUR_MS)));
    await made.clock.advance(HOUR_MS - 1);
    expect(made.deletions).toEqual([]);
    await made.clock.advance(1);
    expect(made.deletions).toMatchObject([{ atMs: HOUR_MS }]);
  });

  it('ignores a token without expiration', async () => {
    const made = await start();
    made.apply(token('a', undefined));
    await made.clock.advance(9 * HOUR_MS);
    expect(made.deletions).toEqual([]);
  });

  it.each(['soon', '2026-13-01T00:00:00Z', '2999-01-01', '2999-01-01 00:00:00Z'])(
    'deletes a token whose expiration %j is not an RFC 3339 time',
    async (expiration) => {
      const made = await start();
      made.apply(token('a', expiration));
      await made.clock.advance(0);
      expect(made.deletions).toHaveLength(1);
    },
  );

  it('uses the expiration that a token has when it is due', async () => {
    const made = await start();
    made.apply(token('a', made.afterStart(HOUR_MS)));
    await made.clock.advance(HOUR_MS / 2);
    made.apply(token('a', made.afterStart(HOUR_MS), 'uid-a', '2'));
    await made.clock.advance(HOUR_MS - 1);
    expect(made.deletions).toEqual([]);
    await made.clock.advance(1);
    expect(made.deletions).toMatchObject([{ preconditions: { resourceVersion: '2' } }]);
  });

  it('does nothing for a token that was deleted before its expiry', async () => {
    const made = await start();
    const gone = token('a', made.afterStart(HOUR_MS));
    made.apply(gone);
    await made.clock.advance(1);
    made.remove(gone);
    await made.clock.advance(2 * HOUR_MS);
    expect(made.deletions).toEqual([]);
  });

  it('succeeds if another client deletes the token first', async () => {
    const made = await start((name) => {
      throw notFound(resource, name);
    });
    made.apply(token('a', made.afterStart(-1_000)));
    await made.clock.advance(HOUR_MS);
    expect(made.deletions).toHaveLength(1);
  });

  it('decides again if the token changes during the deletion', async () => {
    const made = await start((name, attempt) => {
      if (attempt === 1) throw conflict(resource, name, 'precondition failed');
    });
    made.apply(token('a', made.afterStart(-1_000)));
    await made.clock.advance(0);
    made.apply(token('a', made.afterStart(HOUR_MS), 'uid-a', '2'));
    await made.clock.advance(HOUR_MS - 1);
    expect(made.deletions).toHaveLength(1);
    await made.clock.advance(1);
    expect(made.deletions).toHaveLength(2);
  });

  it('deletes nothing early if the local clock is two hours ahead of the API server', async () => {
    const made = await start(undefined, 2 * HOUR_MS);
    made.apply(token('a', made.afterStart(-HOUR_MS)));
    await made.clock.advance(HOUR_MS - 1);
    expect(made.deletions).toEqual([]);
    await made.clock.advance(1);
    expect(made.deletions).toMatchObject([{ atMs: HOUR_MS }]);
  });

  it('honours an extended expiration that only a live read returns', async () => {
    const made = await start();
    const extended = token('a', made.afterStart(HOUR_MS), 'uid-a', '2');
    made.apply(token('a', made.afterStart(-1_000)));
    made.stored.set('bootstrap-token-a', extended);
    await made.clock.advance(HOUR_MS - 1);
    expect(made.deletions).toEqual([]);
    await made.clock.advance(1);
    expect(made.deletions).toMatchObject([{ preconditions: { resourceVersion: '2' } }]);
  });

  it('retries a rejected deletion with growing delays', async () => {
    const made = await start((name, attempt) => {
      if (attempt < 4) throw forbidden(resource, name, 'not yet');
    });
    made.apply(token('a', made.afterStart(-1_000)));
    await made.clock.advance(1_000);
    expect(made.deletions).toHaveLength(4);
    const times = made.deletions.map(({ atMs }) => atMs);
    const pauses = times.slice(1).map((atMs, i) => atMs - (times[i] ?? 0));
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
  });

  it('keeps token secrets out of the journal', async () => {
    const made = await start();
    made.apply(token('a', made.afterStart(-1_000)));
    await made.clock.advance(0);
    expect(JSON.stringify(made.journal.read())).not.toMatch(/f395accd246ae52d|ZjM5NWFj/);
    expect(made.journal.read().length).toBeGreaterThan(5);
  });
});
