import { describe, expect, it } from 'vitest';
import { inTurn, orElse, rejecting, toTheEnd, whenThere } from './soon.ts';

const fault = new Error('fault');
const throws = (): never => {
  throw fault;
};

describe('available value', () => {
  it('is processed synchronously', () => {
    expect(whenThere(1, (value) => value + 1)).toBe(2);
    expect(orElse(() => 1, throws)).toBe(1);
    expect(orElse(throws, () => 2)).toBe(2);
  });

  it('is returned after the callback, for success and failure', () => {
    const notified: boolean[] = [];
    const ended = (failed: boolean): void => void notified.push(failed);
    expect(toTheEnd(() => 1, ended)).toBe(1);
    expect(() => toTheEnd(throws, ended)).toThrow(fault);
    expect(notified).toEqual([false, true]);
  });
});

describe('later value', () => {
  it('is processed when it resolves', async () => {
    const later = whenThere(Promise.resolve(1), (value) => value + 1);
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toBe(2);
    const failing = (): Promise<number> => Promise.reject(fault);
    expect(await orElse(failing, () => 3)).toBe(3);
    await expect(rejecting(throws)).rejects.toBe(fault);
  });

  it('is returned after the callback, for success and failure', async () => {
    const notified: boolean[] = [];
    const ended = (failed: boolean): void => void notified.push(failed);
    expect(await toTheEnd(() => Promise.resolve(1), ended)).toBe(1);
    await expect(toTheEnd(() => Promise.reject(fault), ended)).rejects.toBe(fault);
    expect(notified).toEqual([false, true]);
  });
});

describe('sequential steps', () => {
  it('wait only for promises', async () => {
    const order: string[] = [];
    const step = (name: string): Promise<void> | void => {
      order.push(name);
      return name === 'slow' ? Promise.resolve().then(() => void order.push('slow is done')) : undefined;
    };
    expect(inTurn(['a', 'b'], step)).toBeUndefined();
    await inTurn(['slow', 'c'], step);
    expect(order).toEqual(['a', 'b', 'slow', 'slow is done', 'c']);
  });

  it('end with the first failure', async () => {
    expect(() => inTurn([1, 2], throws)).toThrow(fault);
    await expect(Promise.resolve(inTurn([1], () => Promise.reject(fault)))).rejects.toBe(fault);
  });
});
