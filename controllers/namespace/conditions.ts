import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { NamespaceCondition } from '../../api/types/core-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Sweep } from '../../machines/namespace/namespace.ts';

interface Finding {
  readonly type: string;
  readonly isTrue: boolean;
  readonly reason: string;
  readonly message: string;
}

const finding = (
  type: string,
  isTrue: boolean,
  bad: readonly [string, string],
  good: readonly [string, string],
): Finding => {
  const [reason, message] = isTrue ? bad : good;
  return { type, isTrue, reason, message };
};

const listed = (counts: { readonly [name: string]: number }, word: string): string =>
  Object.entries(counts)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => `${name} ${word} ${count} resource instances`)
    .join(', ');

/**
 * Returns the five conditions after a sweep, with the messages of upstream:
 * https://github.com/kubernetes/kubernetes/blob/v1.24.0/staging/src/k8s.io/api/core/v1/types.go
 */
function findings(
  { undiscovered, failures, remaining, finalizers }: Sweep,
  { short }: Vocabulary,
): readonly Finding[] {
  return [
    finding(
      'NamespaceDeletionDiscoveryFailure',
      undiscovered.length > 0,
      [
        'DiscoveryFailed',
        `Discovery failed for some groups, ${undiscovered.length} failing: unable to retrieve the complete list of server APIs: ${undiscovered.toSorted().join(', ')}`,
      ],
      ['ResourcesDiscovered', 'All resources successfully discovered'],
    ),
    finding(
      'NamespaceDeletionGroupVersionParsingFailure',
      false,
      ['', ''],
      ['ParsedGroupVersions', `All legacy ${short} types successfully parsed`],
    ),
    finding(
      'NamespaceDeletionContentFailure',
      failures.length > 0,
      [
        'ContentDeletionFailed',
        `Failed to delete all resource types, ${failures.length} remaining: ${failures.toSorted().join(', ')}`,
      ],
      ['ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
    ),
    finding(
      'NamespaceContentRemaining',
      Object.keys(remaining).length > 0,
      ['SomeResourcesRemain', `Some resources are remaining: ${listed(remaining, 'has')}`],
      ['ContentRemoved', 'All content successfully removed'],
    ),
    finding(
      'NamespaceFinalizersRemaining',
      Object.keys(finalizers).length > 0,
      [
        'SomeFinalizersRemain',
        `Some content in the namespace has finalizers remaining: ${listed(finalizers, 'in')}`,
      ],
      ['ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
    ),
  ];
}

/**
 * Returns the conditions after a sweep. A condition retains its transition time if its status did not change.
 * Conditions of other writers are retained.
 */
export function conditionsAfter(
  sweep: Sweep,
  known: readonly DeepReadonly<NamespaceCondition>[],
  now: string,
  vocabulary: Vocabulary,
): DeepReadonly<NamespaceCondition>[] {
  const found = findings(sweep, vocabulary);
  const own = found.map(({ type, isTrue, reason, message }) => {
    const before = known.find((each) => each.type === type);
    const status = isTrue ? ('True' as const) : ('False' as const);
    const lastTransitionTime = before?.status === status ? (before.lastTransitionTime ?? now) : now;
    return { type, status, reason, message, lastTransitionTime };
  });
  return [...known.filter((each) => !found.some(({ type }) => type === each.type)), ...own];
}

/** True if two lists contain the same conditions in the same order, regardless of the order of fields. */
export const sameConditions = (
  a: readonly DeepReadonly<NamespaceCondition>[],
  b: readonly DeepReadonly<NamespaceCondition>[],
): boolean =>
  a.length === b.length &&
  a.every((each, at) =>
    (['type', 'status', 'reason', 'message', 'lastTransitionTime'] as const).every(
      (field) => each[field] === b[at]?.[field],
    ),
  );
