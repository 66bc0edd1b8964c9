import type { ApiObject, DeepReadonly } from '../../api/kinds/kind.ts';

/**
 * Writes Events about objects. Never throws and never delays a pass: events are sent in the background, equal ones
 * are counted together, and a full buffer drops the newest.
 */
export interface EventRecorder {
  /**
   * `reason` is one CamelCase word that clients may match on: why something was done. `action`, which only events with
   * series have, is another: what was done; default the reason.
   */
  record(
    object: DeepReadonly<ApiObject>,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
    action?: string,
  ): void;
  /** The same recorder, whose events tell of `component` in place of the program: each controller has a name of its own. */
  from(component: string): EventRecorder;
  /** Nobody is told: what would be found out for an event alone need not be. Default false. */
  readonly silent?: boolean;
}

/** Where nobody is to be told. */
export const noEvents: EventRecorder = { record: () => {}, from: () => noEvents, silent: true };
