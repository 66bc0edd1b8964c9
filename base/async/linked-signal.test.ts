import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { linkOf, linkSignals, onAbort } from './linked-signal.ts';

describe('link of a signal', () => {
  it('has one event listener for any number of followers', () => {
    const controller = new AbortController();
    const notified: string[] = [];
    onAbort(controller.signal, () => notified.push('first'));
    onAbort(controller.signal, () => notified.push('second'));
    const link = linkSignals(controller.signal);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    controller.abort(new Error('over'));
    expect(notified).toEqual(['first', 'second']);
    expect(link.reason).toEqual(new Error('over'));
  });

  it('is aborted if the signal was already aborted', () => {
    const link = linkOf(AbortSignal.abort(new Error('long over')));
    expect(link.aborted).toBe(true);
    expect(() => link.throwIfAborted()).toThrow('long over');
  });

  it('needs no event listener on the signal that it created', () => {
    const link = linkSignals();
    expect(linkOf(link.signal)).toBe(link);
    expect(linkOf(link)).toBe(link);
    let notified = false;
    onAbort(link.signal, () => (notified = true));
    expect(getEventListeners(link.signal, 'abort')).toHaveLength(0);
    link.abort(new Error('over'));
    expect(notified).toBe(true);
    expect(link.signal.aborted).toBe(true);
  });

  it('does not notify a released follower', () => {
    const controller = new AbortController();
    let notified = false;
    const release = onAbort(controller.signal, () => (notified = true));
    release();
    controller.abort();
    expect(notified).toBe(false);
  });
});
