import type { AnyKind, ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import { internalError, invalid } from '../../../api/status/index.ts';
import type { Pod } from '../../../api/types/core-v1-pod.ts';
import type { Namespace } from '../../../api/types/core-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import type { Clock } from '../../../base/clock/index.ts';
import type { Metrics } from '../../../base/metrics/index.ts';
import type { ObjectReader } from '../../registry/registry.ts';
import { charged } from '../../../base/budget/index.ts';
import type { AdmissionPlugin, ValidatedRequest } from '../../request.ts';
import { cachedOrLive } from '../cached-or-live.ts';
import { coreKind, rejection } from '../rejection.ts';
import { aggregateMessages } from '../../aggregate-messages.ts';
import { type Subject, type Violation, subjectOf } from './check.ts';
import { type PodSecurityConfiguration, parsePodSecurityConfiguration } from './configuration.ts';
import { detailText, violationsOf } from './evaluation.ts';
import { type PodSecurityMetrics, createPodSecurityMetrics } from './evaluation-metrics.ts';
import { warningsOf } from './existing-pods.ts';
import {
  type LabelledPolicy,
  type LevelVersion,
  compactText,
  isPrivileged,
  isStricter,
  policyOf,
  policyText,
  sameLevelVersion,
} from './policy.ts';
import { hasTemplate, isSignificant, templateOf } from './templates.ts';

type Request = ValidatedRequest;

/** Readers, metrics and clock of the plugin. */
export interface PodSecurityOptions {
  readonly namespaces: ObjectReader<Namespace>;
  readonly pods: ObjectReader<Pod>;
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** Subresources whose writes change no field that a policy restricts. */
const IGNORED_SUBRESOURCES = new Set([
  'attach',
  'binding',
  'eviction',
  'exec',
  'log',
  'portforward',
  'proxy',
  'status',
]);

const isPods = coreKind('pods');
const isNamespaces = coreKind('namespaces');

/**
 * Creates a plugin that enforces the Pod Security Standards which the labels of a namespace select
 * (https://kubernetes.io/docs/concepts/security/pod-security-admission/). It rejects pods, annotates audit
 * events, and warns. Pod templates cause warnings and annotations, but are never rejected.
 */
export function createPodSecurity(options: PodSecurityOptions, configuration: unknown): AdmissionPlugin {
  const security = new PodSecurity(options, parsePodSecurityConfiguration(configuration, options.vocabulary));
  return {
    name: 'PodSecurity',
    operations: ['CREATE', 'UPDATE'],
    concerns: (kind) => isPods(kind) || isNamespaces(kind) || hasTemplate(kind),
    async validate(request) {
      const kind = request.kind as AnyKind;
      if (isNamespaces(kind)) await security.validateNamespace(request);
      else if (isPods(kind)) await security.validatePod(request);
      else await security.validateController(request);
    },
  };
}

class PodSecurity {
  readonly #options: PodSecurityOptions;
  readonly #configuration: PodSecurityConfiguration;
  readonly #metrics: PodSecurityMetrics;

  constructor(options: PodSecurityOptions, configuration: PodSecurityConfiguration) {
    this.#options = options;
    this.#configuration = configuration;
    this.#metrics = createPodSecurityMetrics(options.metrics);
  }

  /**
   * Rejects invalid labels when they are set. Warns about existing pods that violate the new policy; these
   * pods continue to run.
   */
  async validateNamespace(request: Request): Promise<void> {
    if (request.subresource !== '') return;
    const next = request.object as DeepReadonly<Namespace> | undefined;
    const previous = request.previous as DeepReadonly<Namespace> | undefined;
    const { policy, errors } = this.#policyOf(next);
    const before = previous && this.#policyOf(previous);
    const name = next?.metadata?.name ?? request.name;
    const texts = (of: LabelledPolicy | undefined): string => JSON.stringify(of?.errors ?? []);
    if (errors.length > 0 && texts(before) !== texts({ policy, errors }))
      throw invalid({ group: '', kind: 'Namespace' }, name, errors);
    if (before !== undefined && !asksForMore(policy.enforce, before.policy.enforce)) return;
    if (this.#configuration.exemptions.namespaces.has(name)) {
      if (isPrivileged(policy)) return;
      request.warn(
        `namespace ${JSON.stringify(name)} is exempt from Pod Security, and the policy (${compactText(policy)}) will be ignored`,
      );
      return;
    }
    if (before === undefined) return;
    const { pods, vocabulary, clock } = this.#options;
    const warnings = await warningsOf({
      namespace: name,
      pods: pods.list(name),
      enforce: policy.enforce,
      isExempt: (pod) => this.#isExemptClass(pod.spec?.runtimeClassName),
      vocabulary,
      monotonic: () => clock.monotonic(),
    });
    for (const text of warnings) request.warn(text);
  }

  async validatePod(request: Request): Promise<void> {
    if (IGNORED_SUBRESOURCES.has(request.subresource) || this.#isExempt(request)) return;
    const labelled = await this.#policyIn(request.namespace);
    if (labelled.errors.length === 0 && isPrivileged(labelled.policy)) return;
    const pod = request.object as DeepReadonly<Pod>;
    const previous = request.previous as DeepReadonly<Pod> | undefined;
    if (previous !== undefined && !isSignificant(pod, previous, this.#options.vocabulary)) return;
    const { spec } = pod;
    if (spec === undefined) return;
    charged(request.budget, () => this.#evaluate(request, labelled, subjectOf(pod.metadata, spec), true));
  }

  async validateController(request: Request): Promise<void> {
    if (request.subresource !== '' || this.#isExempt(request)) return;
    const labelled = await this.#policyIn(request.namespace);
    if (labelled.errors.length === 0 && isPrivileged(labelled.policy, ['audit', 'warn'])) return;
    const subject = templateOf(request.kind, request.object as DeepReadonly<ApiObject>);
    if (subject !== undefined)
      charged(request.budget, () => this.#evaluate(request, labelled, subject, false));
  }

  #evaluate(request: Request, { policy, errors }: LabelledPolicy, subject: Subject, enforces: boolean): void {
    if (this.#isExemptClass(subject.spec.runtimeClassName))
      return this.#noteExemption(request, 'runtimeClass');
    const { vocabulary } = this.#options;
    const note = (key: string, value: string): void =>
      request.annotate(vocabulary.key('pod-security', key), value);
    if (errors.length > 0) {
      const texts = errors.map(({ field, message }) => `${field}: ${message}`);
      note('error', `Failed to parse policy: ${aggregateMessages(texts)}`);
    }
    const known = new Map<string, readonly Violation[]>();
    const violations = (of: LevelVersion): readonly Violation[] => {
      const found = known.get(policyText(of)) ?? violationsOf(of, subject, vocabulary);
      known.set(policyText(of), found);
      return found;
    };
    const would = (of: LevelVersion): string =>
      `would violate PodSecurity ${JSON.stringify(policyText(of))}: ${detailText(violations(of))}`;
    const refuses = enforces && violations(policy.enforce).length > 0;
    if (enforces) {
      note('enforce-policy', policyText(policy.enforce));
      this.#metrics.evaluated(refuses ? 'deny' : 'allow', policy.enforce, 'enforce', request);
    }
    if (violations(policy.audit).length > 0) {
      note('audit-violations', would(policy.audit));
      this.#metrics.evaluated('deny', policy.audit, 'audit', request);
    }
    if (refuses)
      throw rejection(
        request,
        vocabulary,
        `violates PodSecurity ${JSON.stringify(policyText(policy.enforce))}: ${detailText(violations(policy.enforce))}`,
      );
    if (violations(policy.warn).length === 0) return;
    request.warn(would(policy.warn));
    this.#metrics.evaluated('deny', policy.warn, 'warn', request);
  }

  #isExempt(request: Request): boolean {
    const { namespaces, usernames } = this.#configuration.exemptions;
    const why = namespaces.has(request.namespace)
      ? 'namespace'
      : usernames.has(request.user.username)
        ? 'user'
        : undefined;
    if (why !== undefined) this.#noteExemption(request, why);
    return why !== undefined;
  }

  #isExemptClass(runtimeClass: string | undefined): boolean {
    return Boolean(runtimeClass) && this.#configuration.exemptions.runtimeClasses.has(runtimeClass ?? '');
  }

  #noteExemption(request: Request, why: 'namespace' | 'user' | 'runtimeClass'): void {
    request.annotate(this.#options.vocabulary.key('pod-security', 'exempt'), why);
    this.#metrics.exempted(request);
  }

  #policyOf(namespace: DeepReadonly<Namespace> | undefined): LabelledPolicy {
    return policyOf(namespace?.metadata?.labels, this.#configuration.defaults, this.#options.vocabulary);
  }

  async #policyIn(name: string): Promise<LabelledPolicy> {
    const { namespaces } = this.#options;
    const namespace = await cachedOrLive(namespaces, '', name);
    if (namespace === undefined) throw internalError(`failed to lookup namespace ${JSON.stringify(name)}`);
    return this.#policyOf(namespace);
  }
}

/** True if a change of the enforced policy can forbid existing pods. */
const asksForMore = (next: LevelVersion, previous: LevelVersion): boolean =>
  !sameLevelVersion(next, previous) &&
  next.level !== 'privileged' &&
  (next.version !== previous.version || isStricter(next.level, previous.level));
