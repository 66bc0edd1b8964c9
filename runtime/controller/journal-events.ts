import { type ApiObject, type DeepReadonly, keyOf } from '../../api/kinds/index.ts';
import type { JournalCause, JournalEvent } from '../journal/entry.ts';
import type { Watch } from './controller.ts';
import type { ReconcileResult } from './reconciler.ts';

/** Returns the journal's cause for a key that was enqueued by an event of a watched object. */
export function causeOf(
  type: JournalCause['type'],
  resource: string,
  object: DeepReadonly<ApiObject>,
): JournalCause {
  const name = keyOf(object as ApiObject);
  const { resourceVersion } = object.metadata ?? {};
  return resourceVersion === undefined
    ? { type, resource, object: name }
    : { type, resource, object: name, resourceVersion };
}

/**
 * Returns an identifier of a change that is the same in every process. Returns undefined for an object that
 * was never stored.
 */
export function changeOf(
  type: JournalCause['type'],
  { kind }: Watch,
  { metadata }: DeepReadonly<ApiObject>,
): string | undefined {
  const { uid, resourceVersion } = metadata ?? {};
  if (uid === undefined || resourceVersion === undefined) return undefined;
  return `${kind.plural} ${uid} ${type === 'DELETED' ? 'deleted' : resourceVersion}`;
}

interface Finished {
  readonly reconcileId: string;
  /** Duration in milliseconds. */
  readonly ms: number;
}

/** Returns the journal's event for the end of a reconcile. `retryMs` is the delay of a retry in milliseconds. */
export function finishedEvent(
  { controller, key, reconcileId, ms }: Pick<JournalEvent, 'controller' | 'key'> & Finished,
  result: ReconcileResult,
  retryMs: number | undefined,
  nowMs: number,
): JournalEvent {
  const afterMs = result.outcome === 'requeue' ? result.afterMs : retryMs;
  return {
    kind: 'reconcile.finished',
    controller,
    key,
    reconcileId,
    outcome: result.outcome,
    ms,
    ...(afterMs === undefined ? {} : { nextMs: nowMs + afterMs }),
    ...(result.outcome === 'failed' ? { error: result.error } : {}),
    ...(result.outcome === 'requeue'
      ? { reason: `${result.reason} (after ${Math.round(result.afterMs)} ms)` }
      : {}),
  };
}
