import { afterAll, describe, expect, it } from 'vitest';
import { createSystemClock } from '../../base/clock/system.ts';
import type { JournalEntry } from '../../runtime/index.ts';
import { type Program, createProgram } from './program.ts';
import { createJournals } from './system.ts';

const clock = createSystemClock();
const programs: Program[] = [];
afterAll(() => Promise.all(programs.map((program) => program.kill())));

const node = (script: string, environment?: Readonly<Record<string, string>>): Program => {
  const program = createProgram({
    name: 'child',
    command: () => [process.execPath, '-e', script],
    ready: /ready (\w+)/,
    clock,
    readyMs: 10_000,
    ...(environment && { environment }),
  });
  programs.push(program);
  return program;
};
const WAITS = 'setInterval(() => {}, 1e6);';

describe('a program under test', () => {
  it('is started, killed without a recorded death, and started again', async () => {
    const program = node(`console.log("ready now"); ${WAITS}`);
    expect((await program.start())[1]).toBe('now');
    await expect(program.start()).rejects.toThrow('already running');
    await program.kill();
    expect([program.running, program.deaths]).toEqual([false, []]);
    await program.start();
    program.pause();
    program.resume();
    await program.kill();
    expect(program.deaths).toEqual([]);
  });

  it('reports its output if it ends before it is ready', async () => {
    const program = node('console.error("no room"); process.exit(3)');
    await expect(program.start()).rejects.toThrow('child ended before it was ready; it wrote: no room');
    expect(program.deaths).toEqual([expect.stringMatching(/ended by itself \(code 3\)/)]);
  });

  it('starts with its clock offset, and confirms a later offset over its channel', async () => {
    const program = node(
      `process.on('message', (said) => {
        process.send({ clockOffsetMs: said.clockOffsetMs + 1 });
        setTimeout(() => process.send(said), 200);
      });
      if (process.env.CLOCK_FROM_PARENT === '-5') console.log('ready off');`,
      {},
    );
    await program.setClock(-5.2);
    await program.start();
    const askedMs = clock.monotonic();
    await program.setClock(6);
    expect(clock.monotonic() - askedMs).toBeGreaterThan(150);
  });

  it('is not awaited if it ends before it sets its clock', async () => {
    const program = node(`console.log('ready deaf'); process.on('message', () => process.exit(0));`, {});
    await program.start();
    await program.setClock(5);
    expect(program.running).toBe(false);
  });
});

describe('the journals of processes', () => {
  it('have true times despite clock changes, and restart with each process', async () => {
    let nowMs = 10_000;
    const noted: JournalEntry[] = [];
    const running = { name: 'one', running: true } as Program;
    const journals = createJournals(
      [
        {
          program: running,
          connection: { cut() {}, mend() {} },
          journalSince: async (seq) => noted.filter((entry) => entry.seq > seq),
        },
      ],
      { now: () => nowMs },
    );
    const note = (seq: number, atMs: number): void =>
      void noted.push({ seq, atMs, kind: 'enqueued', controller: 'x', key: 'a' });
    journals.started('one');
    note(1, 10_000);
    nowMs = 12_000;
    journals.clockSet('one', -3_600_000);
    note(2, 13_000 - 3_600_000);
    nowMs = 14_000;
    await Promise.all([journals.poll(), journals.poll('one')]);
    await journals.poll('another');
    noted.splice(0, noted.length);
    journals.started('one');
    note(1, 15_000 - 3_600_000);
    nowMs = 15_000;
    await journals.poll();
    expect(journals.entries.map(({ atMs, event }) => [atMs, typeof event])).toEqual([
      [10_000, 'string'],
      [10_000, 'object'],
      [13_000, 'object'],
      [14_000, 'string'],
      [15_000, 'object'],
    ]);
  });
});
