import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { LONG } from '../../test/long.ts';
import { History } from './history.ts';
import { usualLoad, writeLoad } from './usual-load.fixture.ts';

const MIB = 1_048_576;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const heapUsed = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed;
};

/** Returns the hours since the first entry at which a key changed its final state. */
function changes(history: History, key: string): readonly number[] {
  const hours: number[] = [];
  let last: string | undefined;
  for (const { kind, state, atMs } of history.ofKey(key)) {
    if (kind !== 'state' || state === undefined || !/-\d+$/.test(state)) continue;
    if (state !== last) hours.push(Math.floor(atMs / 3_600_000));
    last = state;
  }
  return hours;
}

describe('History under the usual load', () => {
  it('keeps each change of 24 hours in 56 MiB of estimated and of measured memory', () => {
    const before = heapUsed();
    const history = new History();
    writeLoad({ ...usualLoad, noisyEveryMinutes: 30 }, 24, (entry) => history.add(entry));
    const measured = heapUsed() - before;
    expect(history.keys).toBe(2_000);
    expect(history.bytes).toBeLessThanOrEqual(56 * MIB);
    expect(measured).toBeLessThanOrEqual(1.1 * 56 * MIB);
    const everyHour = Array.from({ length: 24 }, (_, hour) => hour);
    for (let n = 0; n < usualLoad.minuteKeys; n++)
      expect(changes(history, `team/minute-${n}`)).toEqual(everyHour);
    for (let n = 0; n < usualLoad.quietKeys; n++)
      expect(changes(history, `team/quiet-${n}`)).toEqual([0, 6, 12, 18]);
    process.stderr.write(
      `24 h: ${(history.bytes / MIB).toFixed(1)} MiB estimated, ${(measured / MIB).toFixed(1)} MiB measured\n`,
    );
  });

  it.runIf(LONG)('stays within the bound over a week', () => {
    const before = heapUsed();
    const history = new History();
    writeLoad({ ...usualLoad, noisyEveryMinutes: 60 }, 7 * 24, (entry) => history.add(entry));
    const measured = heapUsed() - before;
    expect(history.keys).toBe(2_000);
    expect(history.bytes).toBeLessThanOrEqual(56 * MIB);
    expect(measured).toBeLessThanOrEqual(1.1 * 56 * MIB);
    process.stderr.write(
      `a week: ${(history.bytes / MIB).toFixed(1)} MiB estimated, ${(measured / MIB).toFixed(1)} MiB measured\n`,
    );
  });
});
