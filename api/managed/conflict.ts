import { ApiError } from '../status/api-error.ts';
import { pathsOf, type FieldSet } from './field-set.ts';
import type { Manager } from './managers.ts';
import { type PathElement, printPath } from './path-element.ts';

/** A field that an apply would change although another manager owns it. */
export interface Conflict {
  /** Identifier of the manager that owns the field. */
  readonly identifier: string;
  readonly owner: Manager;
  readonly path: readonly PathElement[];
}

/** Error of an apply without force that would change fields of other managers. The object stays unchanged. */
export class ApplyConflicts extends Error {
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super(messageOf(conflicts));
    this.name = 'ApplyConflicts';
    this.conflicts = conflicts;
  }
}

/**
 * Maximum number of conflicts that a response lists. The response also states the number of all conflicts.
 */
const MAX_SHOWN = 100;

/** Returns conflicts sorted by the identifier of the owner, then by path. */
export const conflictsOf = (
  owned: readonly { readonly identifier: string; readonly owner: Manager; readonly fields: FieldSet }[],
): Conflict[] =>
  [...owned]
    .sort((left, right) => (left.identifier < right.identifier ? -1 : 1))
    .flatMap(({ identifier, owner, fields }) => pathsOf(fields).map((path) => ({ identifier, owner, path })));

/** Formats an owner as `"name"`, followed by its subresource and, for an `Update` entry, by its version. */
function printOwner({ manager, operation, apiVersion, subresource }: Manager): string {
  const where = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  return `${JSON.stringify(manager)}${where}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}

function messageOf(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (first && conflicts.length === 1)
    return `Apply failed with 1 conflict: conflict with ${printOwner(first.owner)}: ${printPath(first.path)}`;
  const lines: string[] = [];
  let owner: string | undefined;
  for (const conflict of conflicts.slice(0, MAX_SHOWN)) {
    if (conflict.identifier !== owner) lines.push(`conflicts with ${printOwner(conflict.owner)}:`);
    owner = conflict.identifier;
    lines.push(`- ${printPath(conflict.path)}`);
  }
  return `Apply failed with ${String(conflicts.length)} conflicts: ${lines.join('\n')}`;
}

/**
 * Returns the error for the client: status 409 with one cause per field. If `apiVersion` is given, all owners
 * are reported with that version.
 */
export function applyConflict(thrown: ApplyConflicts, apiVersion?: string): ApiError {
  const { conflicts, message } =
    apiVersion === undefined
      ? thrown
      : new ApplyConflicts(
          thrown.conflicts.map((each) => ({ ...each, owner: { ...each.owner, apiVersion } })),
        );
  const causes = conflicts.slice(0, MAX_SHOWN).map(({ owner, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${printOwner(owner)}`,
    field: printPath(path),
  }));
  return new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'Conflict',
    details: { causes },
    code: 409,
  });
}
