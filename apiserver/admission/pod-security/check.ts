import { spend } from '../../../base/budget/index.ts';
import type { DeepReadonly } from '../../../api/kinds/index.ts';
import type { Container } from '../../../api/types/core-v1-container.ts';
import type { PodSpec } from '../../../api/types/core-v1-pod.ts';
import type { ObjectMeta } from '../../../api/types/meta-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';

/** Part of a pod, or of a pod template, that checks examine. */
export interface Subject {
  readonly annotations: { readonly [key: string]: string };
  readonly spec: DeepReadonly<PodSpec>;
}

/** Creates the subject of a pod or template. */
export const subjectOf = (
  metadata: DeepReadonly<ObjectMeta> | undefined,
  spec: DeepReadonly<PodSpec>,
): Subject => ({
  annotations: metadata?.annotations ?? {},
  spec,
});

/** Violation of a policy; `detail` contains the offending fields and containers. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** Returns the violation of a subject; undefined if it passes. */
export type Check = (subject: Subject, vocabulary: Vocabulary) => Violation | undefined;

/** Implementation of a check from a release on. */
export interface VersionedCheck {
  /** Minor version of the release. */
  readonly since: number;
  readonly check: Check;
  /** Ids of baseline checks that this check subsumes. */
  readonly overrides?: readonly string[];
}

/** Implementations of one check over the releases. */
export interface CheckSeries {
  readonly id: string;
  /** Oldest first. */
  readonly versions: readonly VersionedCheck[];
}

/** Returns all containers: init, regular, ephemeral. */
export function containersOf({ spec }: Subject): readonly DeepReadonly<Container>[] {
  const { initContainers = [], containers = [], ephemeralContainers = [] } = spec;
  spend((initContainers.length + containers.length + ephemeralContainers.length) * CONTAINER_WORK);
  return [...initContainers, ...containers, ...(ephemeralContainers as readonly DeepReadonly<Container>[])];
}

/** Work units of one container in one check. */
const CONTAINER_WORK = 0.5;

/** Returns the names of the containers for which `holds` is true. */
export const namesWhere = (
  subject: Subject,
  holds: (container: DeepReadonly<Container>) => boolean,
): readonly string[] =>
  containersOf(subject)
    .filter(holds)
    .map(({ name }) => name);

/** Selects the singular or the plural form. */
export const plural = (one: string, many: string, count: number): string => (count === 1 ? one : many);

/** Formats names as `"a", "b"`, without escaping. */
export const quoted = (names: Iterable<string>): string => `"${[...names].join('", "')}"`;

/** Returns the distinct names, sorted. */
export const sorted = (names: Iterable<string>): readonly string[] => [...new Set(names)].toSorted();

/** Formats names as `container "a"` or `containers "a", "b"`. */
export const containersText = (names: readonly string[]): string =>
  `${plural('container', 'containers', names.length)} ${quoted(names)}`;

/** Formats as `pod and containers "a", "b"`; undefined if neither pod nor containers. */
export function settersText(pod: boolean, names: readonly string[]): string | undefined {
  const setters = [...(pod ? ['pod'] : []), ...(names.length > 0 ? [containersText(names)] : [])];
  return setters.length === 0 ? undefined : setters.join(' and ');
}
