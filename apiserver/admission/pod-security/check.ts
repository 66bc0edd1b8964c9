import { spend } from '../../../base/budget/index.ts';
import type { DeepReadonly } from '../../../api/kinds/index.ts';
import type { Container } from '../../../api/types/core-v1-container.ts';
import type { PodSpec } from '../../../api/types/core-v1-pod.ts';
import type { ObjectMeta } from '../../../api/types/meta-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';

/** What of a pod, or of a template for pods, is looked at. */
export interface Subject {
  readonly annotations: { readonly [key: string]: string };
  readonly spec: DeepReadonly<PodSpec>;
}

export const subjectOf = (
  metadata: DeepReadonly<ObjectMeta> | undefined,
  spec: DeepReadonly<PodSpec>,
): Subject => ({
  annotations: metadata?.annotations ?? {},
  spec,
});

/** Why a pod is refused; `detail` names who does it. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

export type Check = (subject: Subject, vocabulary: Vocabulary) => Violation | undefined;

/** A check as it was from a release on. */
export interface VersionedCheck {
  /** Minor number of the release. */
  readonly since: number;
  readonly check: Check;
  /** Ids of checks of the lower level that this one makes superfluous. */
  readonly overrides?: readonly string[];
}

export interface CheckSeries {
  readonly id: string;
  /** Oldest first. */
  readonly versions: readonly VersionedCheck[];
}

/** All containers: those that run first, those that run, those that were added to look around. */
export function containersOf({ spec }: Subject): readonly DeepReadonly<Container>[] {
  const { initContainers = [], containers = [], ephemeralContainers = [] } = spec;
  spend((initContainers.length + containers.length + ephemeralContainers.length) * CONTAINER_WORK);
  return [...initContainers, ...containers, ...(ephemeralContainers as readonly DeepReadonly<Container>[])];
}

/** Work units of one container in one check. */
const CONTAINER_WORK = 0.5;

/** Names of the containers of which something holds. */
export const namesWhere = (
  subject: Subject,
  holds: (container: DeepReadonly<Container>) => boolean,
): readonly string[] =>
  containersOf(subject)
    .filter(holds)
    .map(({ name }) => name);

export const plural = (one: string, many: string, count: number): string => (count === 1 ? one : many);

/** `"a", "b"`. Names were validated, or are shown as they are. */
export const quoted = (names: Iterable<string>): string => `"${[...names].join('", "')}"`;

/** Each once, in order. */
export const sorted = (names: Iterable<string>): readonly string[] => [...new Set(names)].toSorted();

/** `container "a"`, `containers "a", "b"`. */
export const containersText = (names: readonly string[]): string =>
  `${plural('container', 'containers', names.length)} ${quoted(names)}`;

/** `pod and containers "a", "b"`; undefined when neither. */
export function settersText(pod: boolean, names: readonly string[]): string | undefined {
  const setters = [...(pod ? ['pod'] : []), ...(names.length > 0 ? [containersText(names)] : [])];
  return setters.length === 0 ? undefined : setters.join(' and ');
}
