import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';

/**
 * Writes Events about objects. It never throws and never delays a reconcile: events are sent in the
 * background, equal ones are counted, and a full buffer drops the newest.
 */
export interface EventRecorder {
  /**
   * Records an event.
   * @param reason one CamelCase word that clients may match on: why the action was taken
   * @param action one CamelCase word for the action, used by events with series only; default the reason
   */
  record(
    object: DeepReadonly<ApiObject>,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
    action?: string,
  ): void;
  /** Returns this recorder with another component as the source of events. */
  from(component: string): EventRecorder;
  /** True if events are discarded, so that callers can skip work done for an event only. Default false. */
  readonly silent?: boolean;
}

/** Discards all events. */
export const noEvents: EventRecorder = { record: () => {}, from: () => noEvents, silent: true };
