import { describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { EXPECTATION_MS, createExpectations } from './expectations.ts';

const start = () => {
  const clock = createSimulatedClock();
  return { clock, expectations: createExpectations(clock) };
};
const shown = (...uids: string[]) =>
  new Map(uids.map((uid) => [uid.replace('-', ''), { ending: uid.startsWith('-') }]));

describe('expectations', () => {
  it('believes a cache of a key nothing was done for', () => {
    expect(start().expectations.check('k', shown())).toBe('met');
  });

  it('waits for what was created, and believes from then on though it goes again', () => {
    const { expectations } = start();
    expectations.appears('k', 'a');
    expectations.appears('k', 'b');
    expect(expectations.check('k', shown('a'))).toBe('pending');
    expect(expectations.check('k', shown('b'))).toBe('met');
    expect(expectations.check('k', shown())).toBe('met');
  });

  it('waits until what was deleted is gone or ends', () => {
    const { expectations } = start();
    expectations.ends('k', 'a');
    expectations.ends('k', 'b');
    expect(expectations.check('k', shown('a', 'b'))).toBe('pending');
    expect(expectations.check('k', shown('-a'))).toBe('met');
  });

  it('keeps keys apart, and forgets one on request', () => {
    const { expectations } = start();
    expectations.appears('k', 'a');
    expect(expectations.check('other', shown())).toBe('met');
    expectations.forget('k');
    expect(expectations.check('k', shown())).toBe('met');
  });

  it('doubts what never comes, after a while', async () => {
    const { clock, expectations } = start();
    expectations.appears('k', 'a');
    await clock.advance(EXPECTATION_MS - 1);
    expect(expectations.check('k', shown())).toBe('pending');
    await clock.advance(1);
    expect(expectations.check('k', shown())).toBe('doubtful');
  });

  it('doubts after a lost answer whatever the cache shows, until a live read says what there is', () => {
    const { expectations } = start();
    expectations.doubt('k');
    expect(expectations.check('k', shown('a'))).toBe('doubtful');
    expectations.confirm('k', shown('a', 'b', '-c'), shown('a', 'd'));
    expect(expectations.check('k', shown('a', 'd'))).toBe('pending');
    expect(expectations.check('k', shown('a', 'b', '-c'))).toBe('met');
  });

  it('waits for what was read live on its way out, and the cache may yet show as it was', () => {
    const { expectations } = start();
    expectations.confirm('k', shown('-a'), shown());
    expect(expectations.check('k', shown())).toBe('pending');
    expect(expectations.check('k', shown('a'))).toBe('pending');
    expect(expectations.check('k', shown('-a'))).toBe('met');
  });
});
