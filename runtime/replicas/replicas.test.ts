import { describe, expect, it, onTestFinished } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import type { Notice, NoticeBoard } from '../queue/work-queue.ts';
import { createReplicas } from './replicas.ts';

const clockAt = () => createSimulatedClock();

/** Creates a notice board in memory that can be made unreachable. */
function board(clock: ReturnType<typeof clockAt>) {
  const notices = new Map<string, { text: string; atMs: number }>();
  const state = { reachable: true };
  const made: NoticeBoard = {
    lastsMs: 15_000,
    exchange(author, text) {
      if (!state.reachable) return Promise.reject(new Error('the board is unreachable'));
      notices.set(author, { text, atMs: clock.monotonic() });
      return Promise.resolve(
        [...notices].map(([name, notice]): Notice => ({
          author: name,
          text: notice.text,
          ageMs: clock.monotonic() - notice.atMs,
        })),
      );
    },
    remove(author) {
      notices.delete(author);
      return Promise.resolve();
    },
  };
  return { made, notices, state };
}

function replica(
  clock: ReturnType<typeof clockAt>,
  identity: string,
  on: NoticeBoard | undefined,
  finished: ReadonlyMap<string, number> = new Map(),
) {
  const made = createReplicas({
    clock,
    log: silentLogger,
    random: createSeededRandom(1),
    identity,
    board: on,
    finished: () => finished,
  });
  onTestFinished(() => made.stop());
  return made;
}

describe('replicas', () => {
  it('list each other from their notices, this process first', async () => {
    const clock = clockAt();
    const { made: on } = board(clock);
    const [a, b] = [replica(clock, 'a', on), replica(clock, 'b', on)];
    await a.start();
    await b.start();
    await clock.advance(5_000);
    expect(a.list().map(({ identity, own }) => [identity, own])).toEqual([
      ['a', true],
      ['b', false],
    ]);
    expect(b.list().map(({ identity, own }) => [identity, own])).toEqual([
      ['b', true],
      ['a', false],
    ]);
  });

  it('report the reconciles of the last minute only', async () => {
    const clock = clockAt();
    const { made: on } = board(clock);
    const finished = new Map([['job', 0]]);
    const [sender, receiver] = [replica(clock, 'sender', on, finished), replica(clock, 'receiver', on)];
    await sender.start();
    await receiver.start();
    const seen = (): unknown => receiver.list()[1]?.reconciles;
    finished.set('job', 30);
    await clock.advance(10_000);
    expect(seen()).toEqual({ job: 30 });
    await clock.advance(30_000);
    finished.set('job', 37);
    await clock.advance(10_000);
    expect(seen()).toEqual({ job: 37 });
    await clock.advance(30_000);
    expect(seen()).toEqual({ job: 7 });
    await clock.advance(60_000);
    expect(seen()).toEqual({});
  });

  it('drop a stopped replica at once and a silent replica after the lifetime of a notice', async () => {
    const clock = clockAt();
    const { made: on, state } = board(clock);
    const [a, b] = [replica(clock, 'a', on), replica(clock, 'b', on)];
    await a.start();
    await b.start();
    await clock.advance(5_000);
    await b.stop();
    await clock.advance(5_000);
    expect(a.list()).toHaveLength(1);
    const again = replica(clock, 'c', on);
    await again.start();
    await clock.advance(5_000);
    expect(a.list()).toHaveLength(2);
    state.reachable = false;
    await clock.advance(10_000);
    expect(a.list()[1]).toMatchObject({ identity: 'c' });
    await clock.advance(10_000);
    expect(a.list()).toHaveLength(1);
  });

  it('ignore notices with invalid content', async () => {
    const clock = clockAt();
    const { made: on } = board(clock);
    const reader = replica(clock, 'reader', on);
    for (const text of ['', 'null', '{"startedMs":"no"}', '{"startedMs":1,"reconciles":null}'])
      await on.exchange(`odd ${text}`, text);
    await reader.start();
    await clock.advance(5_000);
    expect(reader.list()).toHaveLength(1);
  });

  it('list only this process and arm no timer without a board', async () => {
    const clock = clockAt();
    const alone = replica(clock, 'alone', undefined);
    await alone.start();
    expect(alone.list()).toEqual([
      { identity: 'alone', own: true, startedMs: clock.now(), silentMs: 0, reconciles: {} },
    ]);
  });
});
