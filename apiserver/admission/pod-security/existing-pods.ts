import { WorkBudget, charged, spend } from '../../../base/budget/index.ts';
import type { DeepReadonly } from '../../../api/kinds/index.ts';
import type { Pod } from '../../../api/types/core-v1-pod.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { subjectOf } from './check.ts';
import { reasonText, violationsOf } from './evaluation.ts';
import { type LevelVersion, policyText } from './policy.ts';

type FrozenPod = DeepReadonly<Pod>;

const MAX_PODS = 3_000;
const MAX_MS = 1_000;
/** Number of pods that are checked between two comparisons with the time limit. */
const STRIDE = 100;
/**
 * Work units after which the remaining pods are skipped, so that other steps of the request have budget left.
 */
const MAX_WORK = 100_000;
/** Work units for one pod, in addition to its containers. */
const POD_WORK = 10;

/** Pods of a namespace, and the policy that they are checked against. */
export interface ExistingPods {
  readonly namespace: string;
  readonly pods: readonly FrozenPod[];
  readonly enforce: LevelVersion;
  readonly isExempt: (pod: FrozenPod) => boolean;
  readonly vocabulary: Vocabulary;
  /** Returns the monotonic time in milliseconds. */
  readonly monotonic: () => number;
}

/** Returns warnings about existing pods that the new policy would reject. */
export async function warningsOf(existing: ExistingPods): Promise<readonly string[]> {
  const { namespace, pods, enforce, isExempt, vocabulary, monotonic } = existing;
  const budget = WorkBudget.unlimited();
  const untilMs = monotonic() + MAX_MS;
  const byReason = new Map<string, string[]>();
  const chosen = prioritized(pods).slice(0, MAX_PODS);
  let checked = 0;
  for (const pod of chosen) {
    if (checked % STRIDE === 0 && (monotonic() > untilMs || budget.spent > MAX_WORK)) break;
    checked++;
    const { spec } = pod;
    if (isExempt(pod) || spec === undefined) continue;
    if (budget.isDue) await budget.pause();
    const violations = charged(budget, () => {
      spend(POD_WORK);
      return violationsOf(enforce, subjectOf(pod.metadata, spec), vocabulary);
    });
    if (violations.length === 0) continue;
    const reason = reasonText(violations);
    const names = byReason.get(reason) ?? [];
    names.push(pod.metadata?.name ?? '');
    byReason.set(reason, names);
  }
  const partly = `new PodSecurity enforce level only checked against the first ${checked} of ${pods.length} existing pods`;
  const headline = `existing pods in namespace ${JSON.stringify(namespace)} violate the new PodSecurity enforce level ${JSON.stringify(policyText(enforce))}`;
  return [
    ...(checked < pods.length ? [partly] : []),
    ...(byReason.size > 0 ? [headline] : []),
    ...[...byReason].map(([reason, names]) => `${namesText(names)}: ${reason}`).toSorted(),
  ];
}

function namesText(names: readonly string[]): string {
  const [first = ''] = names.toSorted();
  if (names.length === 1) return first;
  return names.length === 2 ? `${first} (and 1 other pod)` : `${first} (and ${names.length - 1} other pods)`;
}

/**
 * Moves one pod of each controller to the front, as the other pods of the controller likely have the same
 * violations.
 */
function prioritized(pods: readonly FrozenPod[]): readonly FrozenPod[] {
  if (pods.length <= MAX_PODS) return pods;
  const seen = new Set<string>();
  const later: FrozenPod[] = [];
  const first = pods.filter((pod) => {
    const uid = pod.metadata?.ownerReferences?.find(({ controller }) => controller)?.uid;
    if (uid === undefined || !seen.has(uid)) {
      if (uid !== undefined) seen.add(uid);
      return true;
    }
    later.push(pod);
    return false;
  });
  return [...first, ...later];
}
