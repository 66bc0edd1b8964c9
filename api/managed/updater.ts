import { part } from '../../base/budget/index.ts';
import { ApplyConflicts, conflictsOf } from './conflict.ts';
import { type Comparison, compareValues, excludeFields, isUnchanged } from './compare.ts';
import {
  EMPTY,
  type FieldSet,
  difference,
  equalSets,
  includes,
  intersection,
  isEmpty,
  meet,
  recursiveDifference,
  sameOr,
  setOf,
  sharing,
  union,
} from './field-set.ts';
import {
  type Manager,
  type ManagerIdentity,
  type Managers,
  equalManagers,
  identifierOf,
  managerOf,
  withFields,
} from './managers.ts';
import { appliedFields, mergeValues, reconcileFields, removeFields, withNamedFields } from './merge.ts';
import type { Reapplied } from './reapplied.ts';
import type { Shape } from './shape.ts';
import type { Typed } from './typed.ts';

/** Converts an object to another version. Returns undefined if that version no longer exists. */
export type Convert = (object: Typed, apiVersion: string) => Typed | undefined;

/** Error of a `Convert` that has to wait. The caller awaits `convert` and then repeats the operation. */
export class ConversionPending extends Error {
  readonly convert: () => Promise<void>;

  constructor(convert: () => Promise<void>) {
    super('a conversion is pending');
    this.name = 'ConversionPending';
    this.convert = convert;
  }
}

/** Ownership rules of a write. */
export interface Ownership {
  readonly convert: Convert;
  /** Fields that writers to this endpoint may not own, including all fields within them. */
  readonly ignored: FieldSet;
}

/** Result of merging an applied configuration. */
export interface Applied {
  /**
   * The live value if the apply changes nothing. A new value may share parts of the live and applied values.
   */
  readonly value: unknown;
  /** The given managers, as the same object, if nothing changes. */
  readonly managers: Managers;
  /** True if fields may have been removed. This can also remove empty lists of the configuration. */
  readonly pruned: boolean;
}

/** Fields that every write repeats or that only the server sets. */
const NEVER_OWNED = setOf(
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => ['f:metadata', `f:${name}`]),
);

/**
 * Returns the managers after a write other than apply; `change` is the comparison of `live` and `next`. The
 * writer gains ownership of the changed fields, and their previous owners lose it. The time of an entry
 * changes only if its fields do. If nothing changes, returns `managers` unchanged.
 */
export function ownUpdate(
  live: Typed,
  next: Typed,
  change: Comparison,
  managers: Managers,
  writer: ManagerIdentity & { readonly time: string },
  ownership: Ownership,
): Managers {
  const identifier = identifierOf(writer);
  const comparison = withoutIgnored(change, ownership);
  const before = reconciled(live, managers, ownership);
  const touched = union(comparison.modified, comparison.added);
  const changed = difference(touched, NEVER_OWNED);
  const own = before.get(identifier);
  if (own && ownsAlone(own, changed, before, live.apiVersion, touched, comparison.removed)) return before;
  const remaining = disownChanges(live, next, before, undefined, comparison, ownership, true);
  if (isEmpty(changed)) return remaining;
  const fields = asRecorded(next.shape, union(remaining.get(identifier)?.fields ?? EMPTY, changed));
  const time = own && equalSets(own.fields, fields) ? own.time : writer.time;
  return new Map(remaining).set(identifier, managerOf(writer, fields, time));
}

/**
 * True if a writer repeats only fields that no other manager owns, and nothing else changes. This is the most
 * common update.
 */
function ownsAlone(
  own: Manager,
  changed: FieldSet,
  managers: Managers,
  apiVersion: string,
  touched: FieldSet,
  removed: FieldSet,
): boolean {
  if (!includes(own.fields, changed) || meet(own.fields, NEVER_OWNED)) return false;
  for (const manager of managers.values()) {
    if (manager.apiVersion !== apiVersion || isEmpty(manager.fields)) return false;
    if (meet(manager.fields, removed) || (manager !== own && meet(manager.fields, touched))) return false;
  }
  return true;
}

const recorded = new WeakMap<Shape, FieldSet>();

/**
 * Returns `fields`, sharing branches with the last set recorded for the kind. Objects of a kind mostly have
 * equal fields, and sharing reuses everything that is cached for a set.
 */
function asRecorded(shape: Shape, fields: FieldSet): FieldSet {
  const last = recorded.get(shape);
  const shared = sharing(fields, last);
  if (shared !== last) recorded.set(shape, shared);
  return shared;
}

/**
 * Merges an applied configuration into the live object. Removes fields that the previous configuration of the
 * applier set and that no manager sets or owns now. Determines the owners. Throws `ApplyConflicts` for
 * conflicts without force, and `TypedError` for lists whose items are indistinguishable.
 */
export function ownApply(
  live: Typed,
  config: Typed,
  managers: Managers,
  applier: ManagerIdentity & { readonly time: string },
  ownership: Ownership,
  force: boolean,
  same: Reapplied,
): Applied {
  const identifier = identifierOf(applier);
  const before = part(() => reconciled(live, managers, ownership));
  const last = before.get(identifier);
  const merged = part(() => withValue(live, mergeValues(live.shape, live.value, config.value, same)));
  const appliedNow = part(() =>
    recursiveDifference(appliedFields(config.shape, config.value, last?.fields, same), ownership.ignored),
  );
  const managersNow = new Map(before).set(identifier, managerOf(applier, appliedNow, last?.time));
  const pruned = !appliesAll(config, appliedNow, last);
  const next = pruned ? part(() => prune(merged, managersNow, last, ownership.convert)) : merged;
  const change = part(() => compareValues(live.shape, live.value, next.value));
  const remaining = part(() =>
    disownChanges(live, next, managersNow, identifier, withoutIgnored(change, ownership), ownership, force),
  );
  const fields = sameOr(difference(appliedNow, NEVER_OWNED), last?.fields);
  const owned = withFields(remaining, identifier, fields);
  const unchanged = isUnchanged(change);
  if (unchanged && equalManagers(owned, managers)) return { value: live.value, managers, pruned };
  const entry = owned.get(identifier);
  return {
    value: unchanged ? live.value : next.value,
    managers: entry ? new Map(owned).set(identifier, managerOf(entry, entry.fields, applier.time)) : owned,
    pruned,
  };
}

const withoutIgnored = (change: Comparison, { ignored }: Ownership): Comparison =>
  isEmpty(ignored) ? change : excludeFields(change, ignored);

/**
 * Removes changed and deleted fields from the entries of all managers except the writer. Throws
 * `ApplyConflicts` for conflicts without force.
 */
function disownChanges(
  live: Typed,
  next: Typed,
  managers: Managers,
  writer: string | undefined,
  comparison: Comparison,
  ownership: Ownership,
  force: boolean,
): Managers {
  if (managers.size === 0) return managers;
  const byVersion = new Map<string, Comparison | undefined>([[live.apiVersion, comparison]]);
  const remaining = new Map(managers);
  const taken: { identifier: string; owner: Manager; fields: FieldSet }[] = [];
  for (const [identifier, owner] of managers) {
    if (identifier === writer) continue;
    if (!byVersion.has(owner.apiVersion))
      byVersion.set(owner.apiVersion, compareAt(live, next, owner.apiVersion, ownership));
    const change = byVersion.get(owner.apiVersion);
    if (!change) {
      remaining.delete(identifier);
      continue;
    }
    const fields = intersection(owner.fields, union(change.modified, change.added));
    if (!isEmpty(fields)) taken.push({ identifier, owner, fields });
    const rest = difference(difference(owner.fields, fields), change.removed);
    if (rest !== owner.fields) remaining.set(identifier, managerOf(owner, rest, owner.time));
  }
  if (!force && taken.length > 0) throw new ApplyConflicts(conflictsOf(taken));
  return withoutEmpty(remaining);
}

function compareAt(
  live: Typed,
  next: Typed,
  apiVersion: string,
  ownership: Ownership,
): Comparison | undefined {
  const before = ownership.convert(live, apiVersion);
  const after = ownership.convert(next, apiVersion);
  if (!before || !after) return undefined;
  return withoutIgnored(compareValues(before.shape, before.value, after.value), ownership);
}

function withoutEmpty(managers: Managers): Managers {
  if (![...managers.values()].some(({ fields }) => isEmpty(fields))) return managers;
  return new Map([...managers].filter(([, { fields }]) => !isEmpty(fields)));
}

/** Returns the managers with their fields adapted to the current schema. */
function reconciled(live: Typed, managers: Managers, { convert }: Ownership): Managers {
  let result = managers;
  for (const [identifier, { apiVersion, fields }] of managers) {
    const typed = convert(live, apiVersion);
    if (typed) result = withFields(result, identifier, reconcileFields(typed.shape, fields));
  }
  return result;
}

/** True if the applier still applies all fields of its previous apply, so that nothing has to be removed. */
const appliesAll = ({ apiVersion }: Typed, appliedNow: FieldSet, last: Manager | undefined): boolean =>
  last === undefined || (last.apiVersion === apiVersion && isEmpty(difference(last.fields, appliedNow)));

/** Removes the fields that the applier applied last time, except fields that a manager owns now. */
function prune(merged: Typed, managersNow: Managers, last: Manager | undefined, convert: Convert): Typed {
  if (!last || isEmpty(last.fields)) return merged;
  const atLast = convert(merged, last.apiVersion);
  if (!atLast) return merged;
  const lastFields = withNamedFields(atLast.shape, last.fields);
  const pruned = without(atLast, lastFields);
  const kept = addBackOwned(atLast, pruned, managersNow, convert);
  const prunedFields = namedFieldsOf(convert(kept, last.apiVersion) ?? kept);
  const dangling = intersection(difference(namedFieldsOf(atLast), prunedFields), lastFields);
  return convert(without(atLast, dangling), merged.apiVersion) ?? merged;
}

/** Restores removed fields that belong to another manager or to the applier's new configuration. */
function addBackOwned(merged: Typed, pruned: Typed, managersNow: Managers, convert: Convert): Typed {
  const byVersion = new Map<string, FieldSet>();
  for (const { apiVersion, fields } of managersNow.values())
    byVersion.set(apiVersion, union(byVersion.get(apiVersion) ?? EMPTY, fields));
  let result = pruned;
  for (const [apiVersion, fields] of byVersion) {
    const [whole, rest] = [convert(merged, apiVersion), convert(result, apiVersion)];
    if (!whole || !rest) continue;
    const owned = union(namedFieldsOf(rest), withNamedFields(whole.shape, fields));
    result = without(whole, difference(namedFieldsOf(whole), owned));
  }
  return result;
}

const without = (typed: Typed, fields: FieldSet): Typed =>
  isEmpty(fields) ? typed : withValue(typed, removeFields(typed.shape, typed.value, fields));

const withValue = ({ apiVersion, shape }: Typed, value: unknown): Typed => ({ apiVersion, shape, value });

const namedFieldsOf = ({ shape, value }: Typed): FieldSet =>
  withNamedFields(shape, appliedFields(shape, value));
