import type { DeepReadonly, UserInfo } from '../../../api/kinds/index.ts';
import { cloneJson, equalJson } from '../../../api/schema/index.ts';
import type { FieldErrors } from '../../../api/status/index.ts';
import type { Pod } from '../../../api/types/core-v1-pod.ts';
import type { PodSecurityPolicy } from '../../../api/types/policy-v1beta1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { messageOf } from '../../../base/errors/index.ts';
import type { Logger } from '../../../base/log/index.ts';
import { serviceAccountGroups, serviceAccountUsername } from '../../../base/tokens/index.ts';
import { keepsAllExceptOwnership } from '../../authorization/ownership-update.ts';
import type { ObjectReader } from '../../registry/registry.ts';
import type { AdmissionPlugin, AdmissionRequest, Authorizer } from '../../request.ts';
import { coreKind, rejection } from '../rejection.ts';
import { type Policy, readPolicy } from './policy.ts';

/** Policies, and the authorizer that decides on their use. */
export interface PodSecurityPolicyOptions {
  readonly vocabulary: Vocabulary;
  readonly policies: ObjectReader<PodSecurityPolicy>;
  /** Authorizer that decides whether a user or the pod's service account may `use` a policy. */
  readonly authorizer: Authorizer;
  readonly log: Logger;
}

type Request = DeepReadonly<AdmissionRequest>;
type SeenPod = DeepReadonly<Pod>;

/** Policy that admits a pod, and the resulting pod. */
interface Choice {
  readonly policy: string;
  readonly pod: Pod;
}

/**
 * Result of choosing a policy. `errors` are the violations of the usable policies if none of them admits the
 * pod.
 */
type PolicyDecision = Choice | { readonly errors: FieldErrors };

/** API groups for which upstream authorizes the use of a policy. */
const GROUPS = ['policy', 'extensions'];

/** Subresources through which the containers of a pod can change. */
const SUBRESOURCES = ['', 'ephemeralcontainers'];

/**
 * Creates a plugin that admits a pod only by a policy that its creator or its service account may use
 * (https://kubernetes.io/docs/concepts/security/pod-security-policy/). The first policy by name that admits
 * the pod unchanged takes precedence, then the first one that admits the pod after setting defaults. Removed
 * in Kubernetes 1.25.
 */
export function createPodSecurityPolicy(options: PodSecurityPolicyOptions): AdmissionPlugin {
  const { vocabulary } = options;
  const annotation = vocabulary.key('', 'psp');
  const auditKey = (phase: string): string =>
    vocabulary.groupKey('podsecuritypolicy.policy', `${phase}-policy`);
  const policies = new UsablePolicies(options);

  async function chosen(request: Request, pod: SeenPod, wanted: Wanted, task: string): Promise<Choice> {
    const verdict = await policies.choose(request, pod, wanted);
    if (verdict === undefined)
      throw rejection(
        request,
        vocabulary,
        'PodSecurityPolicy: no providers available to validate pod request',
      );
    if ('policy' in verdict) return verdict;
    const words = `PodSecurityPolicy: unable to ${task} pod: ${textOf(verdict.errors)}`;
    throw rejection(request, vocabulary, words);
  }

  return {
    name: 'PodSecurityPolicy',
    operations: ['CREATE', 'UPDATE'],
    concerns: coreKind('pods'),
    async mutate(request) {
      const pod = request.object as Pod | undefined;
      if (pod === undefined || request.operation !== 'CREATE' || !isOfConcern(request)) return;
      const choice = await chosen(request, pod, { mayMutate: true, hint: '' }, 'admit');
      Object.assign(pod, choice.pod);
      const annotations = { ...pod.metadata?.annotations, [annotation]: choice.policy };
      pod.metadata = { ...pod.metadata, annotations };
      request.annotate(auditKey('admit'), choice.policy);
    },
    async validate(request) {
      const pod = request.object as SeenPod | undefined;
      if (pod === undefined || !isOfConcern(request)) return;
      const hint = pod.metadata?.annotations?.[annotation] ?? '';
      const choice = await chosen(request, pod, { mayMutate: false, hint }, 'validate');
      request.annotate(auditKey('validate'), choice.policy);
    },
  };
}

function isOfConcern({ kind, subresource, operation, object, previous }: Request): boolean {
  if (!coreKind('pods')(kind) || !SUBRESOURCES.includes(subresource)) return false;
  // The garbage collector may remove owner references and finalizers of any pod.
  const isRelease = operation === 'UPDATE' && object && previous && keepsAllExceptOwnership(object, previous);
  return isRelease !== true;
}

const textOf = (errors: FieldErrors): string =>
  `[${errors.map(({ field, message }) => `${field}: ${message}`).join(' ')}]`;

interface Wanted {
  readonly mayMutate: boolean;
  /** Name of the policy that likely admits the pod unchanged; '' if unknown. */
  readonly hint: string;
}

/** Policies of the cluster, and the choice of one for a pod. */
class UsablePolicies {
  readonly #options: PodSecurityPolicyOptions;
  /** Parsed policies. A policy that cannot be parsed is undefined; it is logged once and skipped. */
  readonly #read = new WeakMap<object, Policy | undefined>();

  constructor(options: PodSecurityPolicyOptions) {
    this.#options = options;
  }

  /** Chooses a policy for a pod. Returns undefined if there is no policy. */
  async choose(
    request: Request,
    pod: SeenPod,
    { mayMutate, hint }: Wanted,
  ): Promise<PolicyDecision | undefined> {
    const all = this.#options.policies.list().flatMap((each) => this.#policyOf(each) ?? []);
    if (all.length === 0) return undefined;
    let mutated: Choice | undefined;
    const rejections: [Policy, FieldErrors][] = [];
    for (const policy of inOrder(all, hint)) {
      const copy = cloneJson(pod) as Pod;
      policy.mutate(copy);
      const errors = policy.validate(copy);
      if (errors.length > 0) {
        rejections.push([policy, errors]);
        continue;
      }
      const isSame = equalJson(copy, pod);
      const isOfUse = isSame || (mayMutate && mutated === undefined);
      if (!isOfUse || !(await this.#mayUse(request, pod, policy.name))) continue;
      if (isSame) return { policy: policy.name, pod: copy };
      mutated = { policy: policy.name, pod: copy };
    }
    return mutated ?? { errors: await this.#usableErrors(request, pod, rejections) };
  }

  /** Returns the errors of policies that the user may use, as other policies must not be revealed. */
  async #usableErrors(
    request: Request,
    pod: SeenPod,
    rejections: readonly (readonly [Policy, FieldErrors])[],
  ): Promise<FieldErrors> {
    const errors: FieldErrors[] = [];
    for (const [policy, found] of rejections)
      if (await this.#mayUse(request, pod, policy.name)) errors.push(found);
    return errors.flat();
  }

  #policyOf(given: DeepReadonly<PodSecurityPolicy>): Policy | undefined {
    if (this.#read.has(given)) return this.#read.get(given);
    const { vocabulary, log } = this.#options;
    let policy: Policy | undefined;
    try {
      policy = readPolicy(given, vocabulary);
    } catch (thrown) {
      const problem = messageOf(thrown);
      log.warn({ policy: given.metadata?.name, problem }, 'skipping an invalid pod security policy');
    }
    this.#read.set(given, policy);
    return policy;
  }

  async #mayUse(request: Request, pod: SeenPod, policy: string): Promise<boolean> {
    const { vocabulary, authorizer } = this.#options;
    const account = pod.spec?.serviceAccountName ?? '';
    const users = [...(account === '' ? [] : [accountUser(request.namespace, account)]), request.user];
    for (const user of users)
      for (const group of GROUPS) {
        const { verdict } = await authorizer.authorize({
          user: user as UserInfo,
          verb: 'use',
          isResourceRequest: true,
          path: '',
          group: vocabulary.group(group),
          version: '*',
          resource: 'podsecuritypolicies',
          subresource: '',
          namespace: request.namespace,
          name: policy,
        });
        if (verdict === 'allow') return true;
      }
    return false;
  }
}

const accountUser = (namespace: string, name: string): UserInfo => ({
  username: serviceAccountUsername(namespace, name),
  groups: [...serviceAccountGroups(namespace), 'system:authenticated'],
});

/** Sorts policies by name, with the hinted policy first. */
const inOrder = (policies: readonly Policy[], hint: string): readonly Policy[] =>
  policies.toSorted((a, b) => {
    if (hint !== '' && a.name !== b.name && (a.name === hint || b.name === hint))
      return a.name === hint ? -1 : 1;
    return a.name < b.name ? -1 : 1;
  });
