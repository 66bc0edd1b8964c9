import { describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../clock/simulated.ts';
import { silentLogger } from '../log/logger.ts';
import { createReloaded } from './reloaded.ts';

function start(first = 'a') {
  const clock = createSimulatedClock();
  const files: { content: string | Error } = { content: first };
  const notified: string[] = [];
  const logged: string[] = [];
  const reloaded = createReloaded<string>({
    name: 'setting',
    first,
    clock,
    log: {
      ...silentLogger,
      error: ({ problem }: { problem?: unknown }) => void logged.push(String(problem)),
    },
    isSame: (left, right) => left === right,
    read: async () => {
      if (files.content instanceof Error) throw files.content;
      return files.content;
    },
    onChange: (value) => {
      notified.push(value);
      if (value === 'unfit') throw new Error('unusable value');
    },
    everyMs: 1_000,
  });
  return { clock, files, notified, logged, reloaded };
}

describe('reloaded setting', () => {
  it('keeps its value until the next read', async () => {
    const { clock, files, notified, reloaded } = start();
    await reloaded.start();
    files.content = 'b';
    await clock.advance(999);
    expect(reloaded.current()).toBe('a');
    await clock.advance(1);
    expect(reloaded.current()).toBe('b');
    await clock.advance(10_000);
    expect(notified).toEqual(['b']);
  });

  it('keeps its value while it cannot be read, which is logged once', async () => {
    const { clock, files, logged, reloaded } = start();
    await reloaded.start();
    files.content = new Error('broken');
    await clock.advance(5_000);
    expect(reloaded.current()).toBe('a');
    expect(logged).toEqual(['broken']);
    files.content = 'c';
    await clock.advance(1_000);
    expect(reloaded.current()).toBe('c');
    files.content = new Error('broken');
    await clock.advance(1_000);
    expect(logged).toEqual(['broken', 'broken']);
  });

  it('continues after an error of its listener', async () => {
    const { clock, files, notified, logged, reloaded } = start();
    await reloaded.start();
    files.content = 'unfit';
    await clock.advance(1_000);
    files.content = 'd';
    await clock.advance(1_000);
    expect(notified).toEqual(['unfit', 'd']);
    expect(logged).toEqual(['unusable value']);
  });

  it('is read only between its start and stop', async () => {
    const { clock, files, reloaded } = start();
    files.content = 'b';
    await clock.advance(5_000);
    await reloaded.start();
    await reloaded.stop();
    await clock.advance(5_000);
    expect(reloaded.current()).toBe('a');
  });
});
