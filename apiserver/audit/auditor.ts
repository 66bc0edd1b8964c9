import { isConfidential } from '../../api/kinds/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import type { HttpRequest } from '../../base/http/index.ts';
import type { Lifetime } from '../../base/lifetime/index.ts';
import type { Count, Metrics } from '../../base/metrics/index.ts';
import { attributesOf } from '../http/stages/authorization.ts';
import type { RequestContext } from '../request.ts';
import type { AuditBackend } from './backend.ts';
import type { AuditStage } from './event.ts';
import type { AuditDecision, AuditPolicy } from './policy.ts';
import { RequestTrail } from './request-trail.ts';
import { AUDIT_LEVELS, type AuditLevel, type AuditTrail, isAtLeast } from './trail.ts';

/** Policy, back end and clock of an auditor. */
export interface AuditorOptions {
  readonly policy: AuditPolicy;
  readonly backend: AuditBackend;
  readonly metrics: Metrics;
  readonly clock: Clock;
}

/**
 * Component that creates the audit trails of requests and sends their events. `stop` resolves once the last
 * event is stored.
 */
export interface Auditor extends Lifetime {
  /** Creates the trail of a request that has just arrived. */
  trail(http: HttpRequest): AuditTrail;
  /** Evaluates the policy for a request. Returns undefined if nothing is recorded of the request. */
  begin(context: RequestContext): RequestTrail | undefined;
  /**
   * Returns the trail of a request that failed before authentication. Returns undefined if the policy has
   * already been evaluated for the request.
   */
  unbegun(context: RequestContext): RequestTrail | undefined;
  /**
   * Sends the event of a stage, unless the policy omits the stage. Returns false if the event is lost and the
   * request must therefore not continue.
   */
  send(trail: RequestTrail, context: RequestContext, stage: AuditStage): boolean | Promise<boolean>;
  /** Counter of requests rejected because their event could not be stored. */
  readonly rejected: Count;
}

/** Creates an auditor; `start` starts its back end. */
export function createAuditor({ policy, backend, metrics, clock }: AuditorOptions): Auditor {
  const { events, levels, rejected } = createCounts(metrics);
  const trailOf = ({ audit }: RequestContext): RequestTrail | undefined =>
    audit instanceof RequestTrail ? audit : undefined;
  return {
    name: 'audit',
    rejected,
    trail: (http) => new RequestTrail(http, clock.now()),
    begin(context) {
      const trail = trailOf(context);
      if (trail === undefined) return undefined;
      const decision = bounded(policy.decide(attributesOf(context)), context);
      levels.get(decision.level)?.add(1);
      trail.begin(context, decision);
      return decision.level === 'None' ? undefined : trail;
    },
    unbegun(context) {
      const trail = trailOf(context);
      return trail?.begun ? undefined : trail;
    },
    send(trail, context, stage) {
      if (trail.omits(stage)) return true;
      events.add(1);
      return backend.process([trail.event(context, stage, clock.now())]);
    },
    start: () => backend.start(),
    stop: () => backend.stop(),
  };
}

/**
 * Limits the decision to level `Metadata` for a kind with confidential objects, such as Secret. Neither the
 * bodies of such objects nor annotations with parts of them are recorded, whatever the policy says.
 */
function bounded(decision: AuditDecision, { kind, info }: RequestContext): AuditDecision {
  const isWithin = !isAtLeast(decision.level, 'Request') || !isConfidential(kind, info.subresource);
  return isWithin ? decision : { ...decision, level: 'Metadata' };
}

function createCounts(metrics: Metrics) {
  const events = metrics
    .counter(
      'apiserver_audit_event_total',
      'Counter of audit events generated and sent to the audit backend.',
    )
    .at();
  const byLevel = metrics.counter(
    'apiserver_audit_level_total',
    'Counter of policy levels for audit events (1 per request).',
    ['level'],
  );
  const rejected = metrics
    .counter(
      'apiserver_audit_requests_rejected_total',
      'Counter of apiserver requests rejected due to an error in audit logging backend.',
    )
    .at();
  const levels = new Map<AuditLevel, Count>(AUDIT_LEVELS.map((level) => [level, byLevel.at(level)]));
  return { events, levels, rejected };
}
