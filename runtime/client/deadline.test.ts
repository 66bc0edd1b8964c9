import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { linkOf, linkSignals, onAbort } from './deadline.ts';

describe('the link of a signal', () => {
  it('is told by one listener, however many follow it', () => {
    const controller = new AbortController();
    const told: string[] = [];
    onAbort(controller.signal, () => told.push('first'));
    onAbort(controller.signal, () => told.push('second'));
    const link = linkSignals(controller.signal);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    controller.abort(new Error('over'));
    expect(told).toEqual(['first', 'second']);
    expect(link.reason).toEqual(new Error('over'));
  });

  it('has aborted where the signal had before it was asked for', () => {
    const link = linkOf(AbortSignal.abort(new Error('long over')));
    expect(link.aborted).toBe(true);
    expect(() => link.throwIfAborted()).toThrow('long over');
  });

  it('is the one that made the signal, and needs no listener then', () => {
    const link = linkSignals();
    expect(linkOf(link.signal)).toBe(link);
    expect(linkOf(link)).toBe(link);
    let told = false;
    onAbort(link.signal, () => (told = true));
    expect(getEventListeners(link.signal, 'abort')).toHaveLength(0);
    link.abort(new Error('over'));
    expect(told).toBe(true);
    expect(link.signal.aborted).toBe(true);
  });

  it('is left alone by a follower that lets go', () => {
    const controller = new AbortController();
    let told = false;
    const release = onAbort(controller.signal, () => (told = true));
    release();
    controller.abort();
    expect(told).toBe(false);
  });
});
