import type { FeatureName } from '../api/features/features.ts';
import type { Scheme } from '../api/kinds/index.ts';
import type { Environment } from '../base/environment.ts';
import type { FeatureGates } from '../base/feature-gates/feature-gates.ts';
import type { Metrics } from '../base/metrics/index.ts';
import type { Auditor } from './audit/auditor.ts';
import type { IdentityHeaders } from './auth/request-header.ts';
import { type Next, type Stage, compose } from './http/pipeline.ts';
import { createAudit, createFailedAuthenticationAudit } from './http/stages/audit.ts';
import { createAuthentication } from './http/stages/authentication.ts';
import { createAuthorization } from './http/stages/authorization.ts';
import { createDeprecation } from './http/stages/deprecation.ts';
import { createGuard } from './http/stages/guard.ts';
import { createMilestones } from './http/stages/milestones.ts';
import { type Mount, createMounts } from './http/stages/mounts.ts';
import { createObservation } from './http/stages/observation.ts';
import { rejectForeignPages } from './http/stages/origin.ts';
import { createReadiness } from './http/stages/readiness.ts';
import { createWriteConditionsStage } from './http/stages/write-conditions.ts';
import type { Authenticator, Authorizer } from './request.ts';
import type { Storage } from './storage/storage.ts';

/** Dependencies of `createRequestPipeline`. */
export interface RequestPipelineParts {
  readonly scheme: Scheme;
  readonly environment: Environment;
  readonly metrics: Metrics;
  readonly features: FeatureGates<FeatureName>;
  /** True once requests are served. Until then each request is rejected with 503. */
  readonly ready: () => boolean;
  readonly deadline: Stage;
  readonly mounts: readonly Mount[];
  readonly auditor: Auditor | undefined;
  readonly authenticators: readonly Authenticator[];
  readonly identityHeaders: IdentityHeaders | undefined;
  /** Stages between authentication and authorization that may replace the user, such as impersonation. */
  readonly stages: readonly Stage[];
  readonly limiter: Stage | undefined;
  readonly authorizer: Authorizer;
  readonly aggregator: Stage | undefined;
  readonly storage: Storage;
}

/**
 * Composes the stages that a request passes before `last`, in the order of upstream's handler chain:
 * https://github.com/kubernetes/kubernetes/blob/v1.24.0/staging/src/k8s.io/apiserver/pkg/server/config.go
 * (`DefaultBuildHandlerChain`). Unauthenticated requests reach only the stages before authentication and the open
 * mounts.
 */
export function createRequestPipeline(parts: RequestPipelineParts, last: Next): Next {
  const { scheme, metrics, mounts, auditor, authorizer } = parts;
  const { clock, log } = parts.environment;
  const { vocabulary } = scheme;
  const milestone = createMilestones(metrics, clock);
  const optional = (stage: Stage | undefined): readonly Stage[] => (stage === undefined ? [] : [stage]);
  return compose(
    [
      createObservation({ metrics, clock, log }),
      createGuard({ vocabulary, log }),
      createReadiness(parts.ready),
      parts.deadline,
      createMounts(mounts.filter(({ open }) => open === true)),
      ...optional(auditor && createFailedAuthenticationAudit(auditor)),
      milestone('authentication'),
      createAuthentication({
        authenticators: parts.authenticators,
        identityHeaders: parts.identityHeaders,
        vocabulary,
        log,
        metrics,
        clock,
      }),
      milestone('audit'),
      ...optional(auditor && createAudit(auditor)),
      rejectForeignPages,
      milestone('impersonation'),
      ...parts.stages,
      milestone('priorityandfairness'),
      ...optional(parts.limiter),
      milestone('authorization'),
      createAuthorization(authorizer, vocabulary),
      milestone(undefined),
      createMounts(mounts.filter(({ open }) => open !== true)),
      ...optional(parts.aggregator),
      createDeprecation({ scheme, metrics }),
      ...optional(
        parts.features.enabled('ConditionalWrites')
          ? createWriteConditionsStage({ scheme, storage: parts.storage, authorizer })
          : undefined,
      ),
    ],
    last,
  );
}
