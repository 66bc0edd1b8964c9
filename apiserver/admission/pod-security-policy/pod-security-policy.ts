import type { DeepReadonly, UserInfo } from '../../../api/kinds/kind.ts';
import { cloneJson, equalJson } from '../../../api/schema/own.ts';
import type { FieldErrors } from '../../../api/status/field-errors.ts';
import type { Pod } from '../../../api/types/core-v1-pod.ts';
import type { PodSecurityPolicy } from '../../../api/types/policy-v1beta1.ts';
import type { Vocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { messageOf } from '../../../base/errors/coded.ts';
import type { Logger } from '../../../base/log/logger.ts';
import { serviceAccountGroups, serviceAccountUsername } from '../../../base/tokens/claims.ts';
import { keepsAllButOwnership } from '../../authorization/letting-go.ts';
import type { ObjectReader } from '../../registry/registry.ts';
import type { AdmissionPlugin, AdmissionRequest, Authorizer } from '../../request.ts';
import { coreKind, refusal } from '../refusal.ts';
import { type Policy, readPolicy } from './policy.ts';

export interface PodSecurityPolicyOptions {
  readonly vocabulary: Vocabulary;
  readonly policies: ObjectReader<PodSecurityPolicy>;
  /** Asked whether a user, or the pod's account, may `use` a policy. */
  readonly authorizer: Authorizer;
  readonly log: Logger;
}

type Request = DeepReadonly<AdmissionRequest>;
type SeenPod = DeepReadonly<Pod>;

/** By which policy a pod may run, and what that makes of it; otherwise what those say that were asked. */
type Verdict =
  | { readonly policy: string; readonly pod: Pod }
  | { readonly policy: undefined; readonly errors: FieldErrors };

/** A policy of an older version of upstream is looked for in both groups. */
const GROUPS = ['policy', 'extensions'];

/** In which pods are of concern: what runs in them changes. */
const SUBRESOURCES = ['', 'ephemeralcontainers'];

/**
 * Pods run by a policy that their creator or their account may use: the first by name that allows them as they are,
 * otherwise the first that does after giving them what they leave open (release 1.24; removed in 1.25).
 */
export function createPodSecurityPolicy(options: PodSecurityPolicyOptions): AdmissionPlugin {
  const { vocabulary } = options;
  const annotation = vocabulary.key('', 'psp');
  const auditKey = (phase: string): string =>
    vocabulary.groupKey('podsecuritypolicy.policy', `${phase}-policy`);
  const chooser = createChooser(options);

  async function verdictOn(
    request: Request,
    pod: SeenPod,
    mayMutate: boolean,
    hint: string,
  ): Promise<Verdict> {
    const verdict = await chooser(request, pod, mayMutate, hint);
    if (verdict !== undefined) return verdict;
    throw refusal(request, vocabulary, 'PodSecurityPolicy: no providers available to validate pod request');
  }

  return {
    name: 'PodSecurityPolicy',
    operations: ['CREATE', 'UPDATE'],
    concerns: coreKind('pods'),
    async mutate(request) {
      const pod = request.object as Pod | undefined;
      if (pod === undefined || request.operation !== 'CREATE' || !isOfConcern(request)) return;
      const verdict = await verdictOn(request, pod, true, '');
      if (verdict.policy === undefined)
        throw refusal(
          request,
          vocabulary,
          `PodSecurityPolicy: unable to admit pod: ${textOf(verdict.errors)}`,
        );
      Object.assign(pod, verdict.pod);
      pod.metadata = {
        ...pod.metadata,
        annotations: { ...pod.metadata?.annotations, [annotation]: verdict.policy },
      };
      request.annotate(auditKey('admit'), verdict.policy);
    },
    async validate(request) {
      const pod = request.object as SeenPod | undefined;
      if (pod === undefined || !isOfConcern(request)) return;
      const verdict = await verdictOn(request, pod, false, pod.metadata?.annotations?.[annotation] ?? '');
      if (verdict.policy === undefined)
        throw refusal(
          request,
          vocabulary,
          `PodSecurityPolicy: unable to validate pod: ${textOf(verdict.errors)}`,
        );
      request.annotate(auditKey('validate'), verdict.policy);
    },
  };
}

function isOfConcern({ kind, subresource, operation, object, previous }: Request): boolean {
  if (!coreKind('pods')(kind) || !SUBRESOURCES.includes(subresource)) return false;
  // The garbage collector lets go of pods of any sort.
  const letsGo = operation === 'UPDATE' && object && previous && keepsAllButOwnership(object, previous);
  return letsGo !== true;
}

const textOf = (errors: FieldErrors): string =>
  `[${errors.map(({ field, message }) => `${field}: ${message}`).join(' ')}]`;

type Chooser = (
  request: Request,
  pod: SeenPod,
  mayMutate: boolean,
  /** Which policy is likely to allow it as it is. */
  hint: string,
) => Promise<Verdict | undefined>;

/** Finds the policy for a pod; undefined where no policy can be asked. */
function createChooser({ vocabulary, policies, authorizer, log }: PodSecurityPolicyOptions): Chooser {
  const read = new WeakMap<object, Policy | undefined>();

  function policyOf(given: DeepReadonly<PodSecurityPolicy>): Policy | undefined {
    if (read.has(given)) return read.get(given);
    let policy: Policy | undefined;
    try {
      policy = readPolicy(given, vocabulary);
    } catch (thrown) {
      log.warn(
        { policy: given.metadata?.name, problem: messageOf(thrown) },
        'a pod security policy is not asked',
      );
    }
    read.set(given, policy);
    return policy;
  }

  async function mayUse(request: Request, pod: SeenPod, policy: string): Promise<boolean> {
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

  return async (request, pod, mayMutate, hint) => {
    const all = inOrder(
      policies.list().flatMap((each) => policyOf(each) ?? []),
      hint,
    );
    if (all.length === 0) return undefined;
    let mutated: Verdict | undefined;
    const refusals: [Policy, FieldErrors][] = [];
    for (const policy of all) {
      const copy = cloneJson(pod) as Pod;
      policy.mutate(copy);
      const errors = policy.validate(copy);
      if (errors.length > 0) {
        refusals.push([policy, errors]);
        continue;
      }
      const isSame = equalJson(copy, pod);
      if ((!isSame && (!mayMutate || mutated !== undefined)) || !(await mayUse(request, pod, policy.name)))
        continue;
      if (isSame) return { policy: policy.name, pod: copy };
      mutated = { policy: policy.name, pod: copy };
    }
    if (mutated !== undefined) return mutated;
    const errors: FieldErrors[] = [];
    // What a policy says that somebody may not use is not told.
    for (const [policy, found] of refusals) if (await mayUse(request, pod, policy.name)) errors.push(found);
    return { policy: undefined, errors: errors.flat() };
  };
}

const accountUser = (namespace: string, name: string): UserInfo => ({
  username: serviceAccountUsername(namespace, name),
  groups: [...serviceAccountGroups(namespace), 'system:authenticated'],
});

/** By name, but for the one that is likely to do. */
const inOrder = (policies: readonly Policy[], hint: string): readonly Policy[] =>
  policies.toSorted((a, b) => {
    if (hint !== '' && a.name !== b.name && (a.name === hint || b.name === hint))
      return a.name === hint ? -1 : 1;
    return a.name < b.name ? -1 : 1;
  });
