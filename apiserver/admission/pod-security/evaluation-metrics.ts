import type { AnyKind, DeepReadonly } from '../../../api/kinds/index.ts';
import type { Metrics } from '../../../base/metrics/index.ts';
import type { AdmissionRequest } from '../../request.ts';
import type { LevelVersion, Mode } from './policy.ts';

/** Counters of policy evaluations and exempt requests. */
export interface PodSecurityMetrics {
  evaluated(
    decision: 'allow' | 'deny',
    policy: LevelVersion,
    mode: Mode,
    request: DeepReadonly<AdmissionRequest>,
  ): void;
  exempted(request: DeepReadonly<AdmissionRequest>): void;
}

/** Minor version of the Kubernetes release that the policies follow. */
const RELEASE_MINOR = 24;

/** Creates the counters. */
export function createPodSecurityMetrics(metrics: Metrics): PodSecurityMetrics {
  const evaluations = metrics.counter(
    'pod_security_evaluations_total',
    'Number of policy evaluations that occurred, not counting ignored or exempt requests.',
    ['decision', 'policy_level', 'policy_version', 'mode', 'request_operation', 'resource', 'subresource'],
  );
  const exemptions = metrics.counter(
    'pod_security_exemptions_total',
    'Number of exempt requests, not counting ignored or out of scope requests.',
    ['request_operation', 'resource', 'subresource'],
  );
  const about = ({ operation, kind, subresource }: DeepReadonly<AdmissionRequest>) =>
    [operation.toLowerCase(), resourceOf(kind as AnyKind), subresource] as const;
  return {
    evaluated(decision, { level, version }, mode, request) {
      const known = level === 'privileged' ? 'latest' : versionLabel(version);
      evaluations.at(decision, level, known, mode, ...about(request)).add(1);
    },
    exempted: (request) => exemptions.at(...about(request)).add(1),
  };
}

const resourceOf = ({ group, plural }: AnyKind): string => {
  if (group === '' && plural === 'pods') return 'pod';
  return group === '' && plural === 'namespaces' ? 'namespace' : 'controller';
};

/** Returns the value of the version label, which has a bounded number of values. */
function versionLabel(version: LevelVersion['version']): string {
  if (version === 'latest' || version === RELEASE_MINOR) return 'latest';
  return version > RELEASE_MINOR ? 'future' : `v1.${version}`;
}
