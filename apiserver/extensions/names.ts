import { isDeepStrictEqual } from 'node:util';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { CustomResourceDefinitionNames } from '../../api/types/apiextensions-v1.ts';
import type { Definition, Finding } from './conditions.ts';

/** Names of a custom kind. */
export type Names = DeepReadonly<CustomResourceDefinitionNames>;

/** Accepted names, and the condition that reports conflicts. */
export interface NamesDecision {
  /** Each requested name that is free. A name in conflict is replaced by the name accepted before. */
  readonly accepted: Names;
  readonly condition: Finding;
}

const NONE: Names = { plural: '', kind: '' };

/**
 * Decides which of its requested names a definition gets. Names are unique in a group, and stay with the
 * definition that has them. `definitions` holds all existing definitions
 * (https://github.com/kubernetes/kubernetes/blob/v1.24.0/staging/src/k8s.io/apiextensions-apiserver/pkg/controller/status/naming_controller.go).
 */
export function decideNames(definition: Definition, definitions: readonly Definition[]): NamesDecision {
  const used = usedNames(definition.spec?.group ?? '', definitions);
  const wanted = definition.spec?.names ?? NONE;
  const before = definition.status?.acceptedNames ?? NONE;
  const conflicts: { readonly reason: string; readonly message: string }[] = [];
  const decide = (reason: string, name: string, known: string, taken: ReadonlySet<string>): string => {
    if (name === known || !taken.has(name)) return name;
    conflicts.push({ reason, message: inUse(name) });
    return known;
  };
  const plural = decide('PluralConflict', wanted.plural, before.plural, used.resources);
  const singular = decide('SingularConflict', wanted.singular ?? '', before.singular ?? '', used.resources);
  const shortNames = acceptedShortNames(wanted, before, used.resources, conflicts);
  const kind = decide('KindConflict', wanted.kind, before.kind, used.kinds);
  const listKind = decide('ListKindConflict', wanted.listKind ?? '', before.listKind ?? '', used.kinds);
  // Upstream reports only the last conflict.
  const conflict = conflicts.at(-1);
  return {
    accepted: {
      plural,
      ...(singular === '' ? {} : { singular }),
      ...(shortNames.length === 0 ? {} : { shortNames }),
      kind,
      ...(listKind === '' ? {} : { listKind }),
      ...(wanted.categories && wanted.categories.length > 0 ? { categories: wanted.categories } : {}),
    },
    condition: conflict
      ? { type: 'NamesAccepted', status: 'False', ...conflict }
      : { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
  };
}

const inUse = (name: string): string => `${JSON.stringify(name)} is already in use`;

function acceptedShortNames(
  wanted: Names,
  before: Names,
  taken: ReadonlySet<string>,
  conflicts: { readonly reason: string; readonly message: string }[],
): readonly string[] {
  const [next, known] = [wanted.shortNames ?? [], before.shortNames ?? []];
  if (isDeepStrictEqual(next, known)) return known;
  const refused = next.filter((name) => !known.includes(name) && taken.has(name)).map(inUse);
  if (refused.length === 0) return next;
  const message = refused.length === 1 ? (refused[0] ?? '') : `[${refused.join(', ')}]`;
  conflicts.push({ reason: 'ShortNamesConflict', message });
  return known;
}

function usedNames(
  group: string,
  definitions: readonly Definition[],
): { readonly resources: ReadonlySet<string>; readonly kinds: ReadonlySet<string> } {
  const accepted = definitions
    .filter(({ spec }) => spec?.group === group)
    .map(({ status }) => status?.acceptedNames ?? NONE);
  return {
    resources: new Set(
      accepted.flatMap(({ plural, singular = '', shortNames = [] }) => [plural, singular, ...shortNames]),
    ),
    kinds: new Set(accepted.flatMap(({ kind, listKind = '' }) => [kind, listKind])),
  };
}
