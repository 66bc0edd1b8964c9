import { describe, expect, it } from 'vitest';
import { Turns } from './turns.ts';

describe('turns', () => {
  it('end when all promises have settled and all next ticks have run', async () => {
    const turns = new Turns();
    for (let turn = 0; turn < 200; turn++) {
      let left = 300;
      const count = async (): Promise<void> => {
        while (left > 0) {
          await undefined;
          left--;
          if (left % 100 === 0) await new Promise<void>((resolve) => process.nextTick(resolve));
        }
      };
      void count();
      await turns.next();
      expect(left).toBe(0);
    }
  });

  it('share turns of the event loop, but let other callbacks run', async () => {
    const turns = new Turns();
    let loops = 0;
    let counting = true;
    const loop = (): void => {
      loops++;
      if (counting) setImmediate(loop);
    };
    setImmediate(loop);
    for (let turn = 0; turn < 640; turn++) await turns.next();
    counting = false;
    expect(loops).toBeGreaterThan(5);
    expect(loops).toBeLessThan(20);
  });
});
