import type { Happening } from '../../oracles/runtime/observation.ts';
import type { Step } from '../history.fixture.ts';
import type { ProcessEntry } from '../invariant.ts';

const PROCESS = 'manager';
export const node = PROCESS;

export const seen = (happening: Happening, atMs = 0): Step => ({ process: PROCESS, atMs, ...happening });
export const entry = (event: ProcessEntry['event'], atMs: number): Step => ({
  process: PROCESS,
  atMs,
  wallMs: atMs,
  event,
});
export const begins = (controller: string, key: string, atMs = 0): Step =>
  entry({ kind: 'reconcile.started', controller, key, reconcileId: '1' }, atMs);
export const ends = (controller: string, key: string, atMs = 0): Step =>
  entry({ kind: 'reconcile.finished', controller, key, reconcileId: '1', outcome: 'settled' }, atMs);
export const isEnqueued = (controller: string, key: string, atMs = 0): Step =>
  entry({ kind: 'enqueued', controller, key }, atMs);

/** Returns the end of a creation, or of another write, of reconcile 1. */
export const wrote = (code: string, atMs = 0, more: object = {}): Step =>
  seen(
    {
      type: 'write.ended',
      controller: 'x',
      key: 'a',
      reconcileId: '1',
      method: 'POST',
      path: '/api/v1/namespaces/team/pods',
      code,
      ...more,
    },
    atMs,
  );
