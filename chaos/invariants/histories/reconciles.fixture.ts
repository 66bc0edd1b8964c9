import type { JournalEvent } from '../../../runtime/index.ts';
import type { ProcessEntry } from '../invariant.ts';
import type { History } from './objects.fixture.ts';

const noted = (
  atMs: number,
  event: Omit<JournalEvent, 'controller' | 'key'>,
  process = 'one',
): ProcessEntry => ({
  process,
  atMs,
  wallMs: atMs,
  event: { controller: 'x', key: 'team/a', ...event },
});
const up = (atMs: number, ms?: number, process?: string) =>
  noted(atMs, { kind: 'enqueued', ...(ms && { ms }) }, process);
const covered = (atMs: number) => noted(atMs, { kind: 'covered' });
const repeated = (atMs: number) => noted(atMs, { kind: 'repeated' });
const stops = (atMs: number, controller = 'x'): ProcessEntry => ({
  process: 'one',
  atMs,
  wallMs: atMs,
  event: { controller, key: '', kind: 'stopped' },
});
const begins = (atMs: number, process?: string) => noted(atMs, { kind: 'reconcile.started' }, process);
const retries = (atMs: number, of: number) => noted(atMs, { kind: 'reconcile.started', retries: of });
const settles = (atMs: number) => noted(atMs, { kind: 'reconcile.finished', outcome: 'settled' });
const fails = (atMs: number, waitMs: number) =>
  noted(atMs, { kind: 'reconcile.finished', outcome: 'failed', nextMs: atMs + waitMs });
const crashes = (atMs: number, process = 'one'): ProcessEntry => ({
  process,
  atMs,
  wallMs: atMs,
  event: 'started',
});
const runs = (atMs: number, reconcileId: string) => noted(atMs, { kind: 'reconcile.started', reconcileId });
const acts = (atMs: number, reconcileId: string, process?: string) =>
  noted(atMs, { kind: 'effect.started', reconcileId }, process);
const asks = (atMs: number, code: string, ms = 0) =>
  noted(atMs, {
    kind: 'request',
    reconcileId: 'x-1',
    ms,
    request: { verb: 'create', resource: 'jobs.batch', object: 'team/', code },
  });

const MINUTE = 60_000;

export const reconcileHistories: readonly History[] = [
  [
    'generic/no-effect-after-later-reconcile',
    [runs(0, 'x-1'), runs(1, 'x-2'), acts(2, 'x-1')],
    [runs(0, 'x-1'), acts(0, 'x-1'), up(1), settles(2), runs(2, 'x-2'), acts(3, 'x-2')],
  ],
  [
    'generic/every-reconcile-ends',
    [begins(0), fails(1, 5), begins(6)],
    [begins(0), fails(1, 5), begins(6), settles(7)],
    20 * MINUTE,
  ],
  [
    'generic/retries-back-off',
    [begins(0), fails(1, 20), retries(21, 1), fails(22, 10)],
    [
      begins(0),
      fails(1, 20),
      retries(21, 1),
      fails(22, 40),
      retries(62, 0),
      fails(63, 5),
      asks(100, '429'),
      asks(1_100, '201'),
      asks(1_101, '201'),
    ],
  ],
  [
    // If two equal requests are in flight, only the rejected one must wait.
    'generic/retries-back-off',
    [asks(100, '429', 5), asks(110, '201', 15), asks(800, '201')],
    [asks(100, '429', 5), asks(110, '201', 15), asks(1_100, '201')],
  ],
  [
    'queue/no-forgotten-key',
    [up(0), begins(0), up(1), settles(2)],
    [up(0), begins(0), up(1), settles(2), begins(3, 'two')],
    MINUTE,
  ],
  [
    'queue/no-forgotten-key',
    [up(0), begins(0), settles(1), up(2), covered(3), up(4)],
    [up(0), begins(0), settles(1), up(2), covered(3)],
    MINUTE,
  ],
  [
    // If another process covers a key, the key is no longer enqueued, but a later scheduled time still is.
    'queue/no-forgotten-requeue',
    [up(0, 10), begins(10), settles(11), up(20, 10), covered(25)],
    [up(0, 10), begins(10), settles(11), up(20, 10), covered(25), begins(30)],
    MINUTE,
  ],
  [
    'queue/no-forgotten-requeue',
    [up(0), begins(0), fails(1, 5), begins(6), fails(7, 10)],
    [up(0), begins(0), fails(1, 5), begins(6), fails(7, 10), crashes(8)],
    MINUTE,
  ],
  [
    // The end of a term drops only the keys of the term's controller.
    'queue/no-forgotten-requeue',
    [up(0), begins(0), fails(1, 5), begins(6), fails(7, 10), stops(8, 'x-other')],
    [up(0), begins(0), fails(1, 5), begins(6), fails(7, 10), stops(8)],
    MINUTE,
  ],
  [
    // A later reconcile makes earlier retries unnecessary. A server that lost the retries resyncs all keys.
    'queue/no-forgotten-requeue',
    [up(0), begins(0), fails(1, 25_000), up(10), begins(11), fails(12, 30_000)],
    [up(0), begins(0), fails(1, 25_000), up(10), begins(11), fails(12, 3_600_000)],
    MINUTE,
  ],
  [
    'queue/no-forgotten-key',
    [up(0), begins(0), settles(1), up(2), stops(3), up(4)],
    [up(0), begins(0), settles(1), up(2), stops(3)],
    MINUTE,
  ],
  [
    'queue/no-early-key',
    [up(0, 100), begins(50)],
    [
      up(0, 100),
      up(50),
      begins(50),
      settles(51),
      begins(100),
      // A key that becomes due during a reconcile is delivered again, whatever delay the reconcile requests.
      up(100, 50),
      fails(160, 100),
      begins(160),
    ],
  ],
  [
    // A key may become due exactly when a reconcile ends, and the key's retry may become due during the next
    // reconcile.
    'queue/no-early-key',
    [
      up(0, 100),
      up(50),
      begins(50),
      fails(100, 5),
      begins(100),
      fails(150, 10),
      begins(150),
      fails(151, 20),
      begins(152),
    ],
    [up(0, 100), up(50), begins(50), fails(100, 5), begins(100), fails(150, 10), begins(150)],
  ],
  [
    // A key that a crashed process enqueued stays in the shared queue for one reconcile.
    'queue/no-early-key',
    [up(0, 100), up(50, 0, 'two'), crashes(55, 'two'), begins(60), settles(61), begins(62)],
    [up(0, 100), up(50, 0, 'two'), crashes(55, 'two'), begins(60), settles(61), begins(100)],
  ],
  [
    'queue/no-early-key',
    [up(0, 100), up(50), covered(51), begins(52), settles(53), begins(54)],
    [up(0, 100), up(50), covered(51), begins(52), settles(53), begins(100)],
  ],
  [
    // The next leader finds the interrupted key in the queue and enqueues the key once more.
    'queue/no-early-key',
    [up(0), begins(1), fails(2, 100), stops(3, 'y'), begins(4)],
    [up(0), begins(1), fails(2, 100), stops(3), up(4), begins(5), fails(6, 100), begins(7)],
  ],
  [
    // An add whose response was lost may deliver its key twice, but not three times.
    'queue/no-early-key',
    [up(0), begins(6), fails(7, 100), repeated(8), begins(9), fails(10, 100), begins(11)],
    [up(0), begins(6), fails(7, 100), repeated(8), begins(9), fails(10, 100), begins(107)],
  ],
  [
    // A key that is enqueued while it waits for a worker gets another reconcile.
    'queue/no-early-key',
    [begins(0), fails(10, 100), up(20), begins(30), settles(40), begins(41)],
    [begins(0), fails(10, 100), up(20), up(25), begins(30), settles(40), begins(41)],
  ],
  [
    'queue/no-busy-key',
    [up(0), ...Array.from({ length: 2_000 }, () => begins(0))],
    [up(0), ...Array.from({ length: 2_000 }, (_, i) => begins(i * 40))],
  ],
  [
    // The lock of a paused process expired, and another process took the key.
    'queue/no-effect-of-taken-key',
    [begins(0), begins(9, 'two'), acts(10, 'x-1')],
    [begins(0), acts(5, 'x-1'), begins(9, 'two'), acts(10, 'x-1', 'two')],
  ],
];
