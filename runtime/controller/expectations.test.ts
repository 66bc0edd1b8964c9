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
  it('trusts a cache if it has no expectations', () => {
    expect(start().expectations.check('k', shown())).toBe('met');
  });

  it('waits until the cache has contained a created object, even if the object disappears afterwards', () => {
    const { expectations } = start();
    expectations.appears('k', 'a');
    expectations.appears('k', 'b');
    expect(expectations.check('k', shown('a'))).toBe('pending');
    expect(expectations.check('k', shown('b'))).toBe('met');
    expect(expectations.check('k', shown())).toBe('met');
  });

  it('waits until each deleted object is missing or terminating in the cache', () => {
    const { expectations } = start();
    expectations.ends('k', 'a');
    expectations.ends('k', 'b');
    expect(expectations.check('k', shown('a', 'b'))).toBe('pending');
    expect(expectations.check('k', shown('-a'))).toBe('met');
  });

  it('separates keys and forgets one key on request', () => {
    const { expectations } = start();
    expectations.appears('k', 'a');
    expect(expectations.check('other', shown())).toBe('met');
    expectations.forget('k');
    expect(expectations.check('k', shown())).toBe('met');
  });

  it('returns doubtful once an expectation has timed out', async () => {
    const { clock, expectations } = start();
    expectations.appears('k', 'a');
    await clock.advance(EXPECTATION_MS - 1);
    expect(expectations.check('k', shown())).toBe('pending');
    await clock.advance(1);
    expect(expectations.check('k', shown())).toBe('doubtful');
  });

  it('returns doubtful after a lost response until a live read', () => {
    const { expectations } = start();
    expectations.doubt('k');
    expect(expectations.check('k', shown('a'))).toBe('doubtful');
    expectations.confirm('k', shown('a', 'b', '-c'), shown('a', 'd'));
    expect(expectations.check('k', shown('a', 'd'))).toBe('pending');
    expect(expectations.check('k', shown('a', 'b', '-c'))).toBe('met');
  });

  it('waits until the cache contains an object as terminating if only the live read had it', () => {
    const { expectations } = start();
    expectations.confirm('k', shown('-a'), shown());
    expect(expectations.check('k', shown())).toBe('pending');
    expect(expectations.check('k', shown('a'))).toBe('pending');
    expect(expectations.check('k', shown('-a'))).toBe('met');
  });
});
