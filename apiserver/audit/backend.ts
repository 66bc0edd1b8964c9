import type { Logger } from '../../base/log/index.ts';
import type { Count, Family, Metrics } from '../../base/metrics/index.ts';
import type { Lifetime } from '../../base/lifetime/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import type { AuditEvent } from './event.ts';

/** Where events go. */
export interface AuditBackend extends Lifetime {
  /**
   * Takes events over. False, at once or later, when one of them is lost and the request it tells of should not go on
   * without; a back end that may lose events says true.
   */
  process(events: readonly AuditEvent[]): boolean | Promise<boolean>;
}

/** Tells the operator of events that are lost: a line in the log and a count, never what they hold. */
export type ReportLost = (plugin: string, thrown: unknown, events: readonly AuditEvent[]) => void;

/** Returns a function that counts and logs audit events that a backend lost. */
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

/** Sends everything to each of several; they stop in the reverse order. */
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

/** Waits for each event to be stored, and lets its request go on if it is not. */
export const ignoringLosses = (backend: AuditBackend): AuditBackend => ({
  name: backend.name,
  process(events) {
    const outcome = backend.process(events);
    return typeof outcome === 'boolean' ? true : outcome.then(() => true);
  },
  start: () => backend.start(),
  stop: () => backend.stop(),
});
