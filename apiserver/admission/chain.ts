import type { LimitRange, Namespace, ServiceAccount } from '../../api/types/core-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { Clock } from '../../base/clock/clock.ts';
import type { Random } from '../../base/random/random.ts';
import type { ObjectReader } from '../registry/registry.ts';
import type { AdmissionPlugin, Authorizer } from '../request.ts';
import { createCertificateApproval } from './certificate-approval.ts';
import { createCertificateSigning } from './certificate-signing.ts';
import { createCertificateSubjectRestriction } from './certificate-subject-restriction.ts';
import { createDefaultTolerationSeconds } from './default-toleration-seconds.ts';
import { createLimitRanger } from './limit-ranger.ts';
import { createNamespaceLifecycle } from './namespace-lifecycle.ts';
import { createServiceAccountAdmission } from './service-account.ts';

export interface AdmissionDependencies {
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  readonly random: Random;
  readonly authorizer: Authorizer;
  readonly namespaces: ObjectReader<Namespace>;
  readonly serviceAccounts: ObjectReader<ServiceAccount>;
  readonly limitRanges: ObjectReader<LimitRange>;
}

/**
 * The plugins in the order they run, which is upstream's and not the configuration's (specification 1, section 5.11).
 * The check against escalation (`authorization/escalation.ts`) is none of them: it can't be switched off, and runs last.
 */
export const createAdmissionPlugins = (dependencies: AdmissionDependencies): readonly AdmissionPlugin[] => [
  createNamespaceLifecycle(dependencies),
  createLimitRanger(dependencies),
  createServiceAccountAdmission(dependencies),
  createDefaultTolerationSeconds(dependencies),
  createCertificateApproval(dependencies),
  createCertificateSigning(dependencies),
  createCertificateSubjectRestriction(dependencies.vocabulary),
];
