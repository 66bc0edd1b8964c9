import { spend } from '../../../base/budget/index.ts';
import type { DeepReadonly } from '../../../api/kinds/index.ts';
import type { Container } from '../../../api/types/core-v1-container.ts';
import type { PodSpec } from '../../../api/types/core-v1-pod.ts';
import type { ObjectMeta } from '../../../api/types/meta-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';

/** Part of a pod or pod template that checks examine. */
export interface Subject {
  readonly annotations: { readonly [key: string]: string };
  readonly spec: DeepReadonly<PodSpec>;
}

/** Creates the subject for a pod or pod template. */
export const subjectOf = (
  metadata: DeepReadonly<ObjectMeta> | undefined,
  spec: DeepReadonly<PodSpec>,
): Subject => ({
  annotations: metadata?.annotations ?? {},
  spec,
});

/** Violation of a policy. `detail` contains the offending fields and containers. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** Function that returns the violation of a subject, or undefined if the subject passes. */
export type Check = (subject: Subject, vocabulary: Vocabulary) => Violation | undefined;

/** Implementation of a check as of a Kubernetes release. */
export interface VersionedCheck {
  /** Minor version of the first release with this implementation. */
  readonly since: number;
  readonly check: Check;
  /** IDs of baseline checks that this check replaces. */
  readonly overrides?: readonly string[];
}

/** Implementations of one check in different releases. */
export interface CheckSeries {
  readonly id: string;
  /** Implementations, oldest first. */
  readonly versions: readonly VersionedCheck[];
}

/** Returns all containers in the order init, regular, ephemeral. */
export function containersOf({ spec }: Subject): readonly DeepReadonly<Container>[] {
  const { initContainers = [], containers = [], ephemeralContainers = [] } = spec;
  spend((initContainers.length + containers.length + ephemeralContainers.length) * CONTAINER_WORK);
  return [...initContainers, ...containers, ...(ephemeralContainers as readonly DeepReadonly<Container>[])];
}

/** Work units for examining one container in one check. */
const CONTAINER_WORK = 0.5;

/** Returns the names of the containers for which `holds` returns true. */
export const namesWhere = (
  subject: Subject,
  holds: (container: DeepReadonly<Container>) => boolean,
): readonly string[] =>
  containersOf(subject)
    .filter(holds)
    .map(({ name }) => name);

/** Returns `one` if the count is 1, otherwise `many`. */
export const plural = (one: string, many: string, count: number): string => (count === 1 ? one : many);

/** Formats names as `"a", "b"`, without escaping. */
export const quoted = (names: Iterable<string>): string => `"${[...names].join('", "')}"`;

/** Returns the distinct names, sorted. */
export const sorted = (names: Iterable<string>): readonly string[] => [...new Set(names)].toSorted();

/** Formats names as `container "a"` or `containers "a", "b"`. */
export const containersText = (names: readonly string[]): string =>
  `${plural('container', 'containers', names.length)} ${quoted(names)}`;

/**
 * Formats the pod and containers that set a field, such as `pod and containers "a", "b"`. Returns undefined
 * if none does.
 */
export function settersText(pod: boolean, names: readonly string[]): string | undefined {
  const setters = [...(pod ? ['pod'] : []), ...(names.length > 0 ? [containersText(names)] : [])];
  return setters.length === 0 ? undefined : setters.join(' and ');
}
