import type { Logger } from '../../base/log/index.ts';
import type { Count, Family, Metrics } from '../../base/metrics/index.ts';
import type { Lifetime } from '../../base/lifetime/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import type { AuditEvent } from './event.ts';

/** Destination of audit events. */
export interface AuditBackend extends Lifetime {
  /**
   * Accepts events. Returns false, or a promise of false, if an event is lost and its request must not
   * continue without it. A back end that is permitted to lose events always returns true.
   */
  process(events: readonly AuditEvent[]): boolean | Promise<boolean>;
}

/**
 * Function that reports lost events to the operator by a log line and a counter. It never reports the content
 * of an event.
 */
export type ReportLost = (plugin: string, thrown: unknown, events: readonly AuditEvent[]) => void;

/** Creates the function that logs and counts lost events. */
export function createLossReport(metrics: Metrics, log: Logger): ReportLost {
  const errors: Family<Count> = metrics.counter(
    'apiserver_audit_error_total',
    'Counter of audit events that failed to be audited properly. Plugin identifies the plugin affected by the error.',
    ['plugin'],
  );
  return (plugin, thrown, events) => {
    errors.at(plugin).add(events.length);
    log.error(
      { plugin, lost: events.length, firstId: events[0]?.auditID, reason: messageOf(thrown) },
      'audit events lost',
    );
  };
}

/** Combines several back ends: each receives all events, and they stop in reverse order. */
export function unionOf(backends: readonly AuditBackend[]): AuditBackend {
  return {
    name: 'audit back ends',
    process(events) {
      const outcomes = backends.map((backend) => backend.process(events));
      if (outcomes.every((outcome) => typeof outcome === 'boolean')) return outcomes.every(Boolean);
      return Promise.all(outcomes).then((all) => all.every((stored) => stored));
    },
    async start() {
      for (const backend of backends) await backend.start();
    },
    async stop() {
      for (const backend of [...backends].reverse()) await backend.stop();
    },
  };
}

/**
 * Waits until the back end has processed the events, but lets their requests continue even if an event was
 * lost.
 */
export const ignoringLosses = (backend: AuditBackend): AuditBackend => ({
  name: backend.name,
  process(events) {
    const outcome = backend.process(events);
    return typeof outcome === 'boolean' ? true : outcome.then(() => true);
  },
  start: () => backend.start(),
  stop: () => backend.stop(),
});
