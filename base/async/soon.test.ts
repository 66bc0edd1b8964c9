import { describe, expect, it } from 'vitest';
import { inTurn, orElse, rejecting, toTheEnd, whenThere } from './soon.ts';

const fault = new Error('fault');
const throws = (): never => {
  throw fault;
};

describe('a value that is there', () => {
  it('goes on at once', () => {
    expect(whenThere(1, (value) => value + 1)).toBe(2);
    expect(orElse(() => 1, throws)).toBe(1);
    expect(orElse(throws, () => 2)).toBe(2);
  });

  it('is told of before it is given, whether it failed or not', () => {
    const told: boolean[] = [];
    const ended = (failed: boolean): void => void told.push(failed);
    expect(toTheEnd(() => 1, ended)).toBe(1);
    expect(() => toTheEnd(throws, ended)).toThrow(fault);
    expect(told).toEqual([false, true]);
  });
});

describe('a value that comes later', () => {
  it('goes on when it comes', async () => {
    const later = whenThere(Promise.resolve(1), (value) => value + 1);
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toBe(2);
    const failing = (): Promise<number> => Promise.reject(fault);
    expect(await orElse(failing, () => 3)).toBe(3);
    await expect(rejecting(throws)).rejects.toBe(fault);
  });

  it('is told of before it is given, whether it failed or not', async () => {
    const told: boolean[] = [];
    const ended = (failed: boolean): void => void told.push(failed);
    expect(await toTheEnd(() => Promise.resolve(1), ended)).toBe(1);
    await expect(toTheEnd(() => Promise.reject(fault), ended)).rejects.toBe(fault);
    expect(told).toEqual([false, true]);
  });
});

describe('steps in turn', () => {
  it('wait for each other, and for nothing else', async () => {
    const order: string[] = [];
    const step = (name: string): Promise<void> | void => {
      order.push(name);
      return name === 'slow' ? Promise.resolve().then(() => void order.push('slow is done')) : undefined;
    };
    expect(inTurn(['a', 'b'], step)).toBeUndefined();
    await inTurn(['slow', 'c'], step);
    expect(order).toEqual(['a', 'b', 'slow', 'slow is done', 'c']);
  });

  it('end with the first that fails', async () => {
    expect(() => inTurn([1, 2], throws)).toThrow(fault);
    await expect(Promise.resolve(inTurn([1], () => Promise.reject(fault)))).rejects.toBe(fault);
  });
});
