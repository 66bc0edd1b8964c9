import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';

/**
 * Writer of Events about objects. It never throws and never delays a reconcile: it sends events in the
 * background, counts equal events, and drops the newest events if its buffer is full.
 */
export interface EventRecorder {
  /**
   * Records an event.
   * @param reason one CamelCase word for the reason of the action; clients may match on it
   * @param action one CamelCase word for the action; only used in the form `series`; default the reason
   */
  record(
    object: DeepReadonly<ApiObject>,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
    action?: string,
  ): void;
  /** Returns a recorder that has another component as the source of its events. */
  from(component: string): EventRecorder;
  /**
   * True if all events are discarded, so that callers can skip work that is only needed for events. Default
   * false.
   */
  readonly silent?: boolean;
}

/** Recorder that discards all events. */
export const noEvents: EventRecorder = { record: () => {}, from: () => noEvents, silent: true };
