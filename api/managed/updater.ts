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
import { claimedFields, mergeValues, reconcileFields, removeFields, withNamedFields } from './merge.ts';
import type { Reapplied } from './reapplied.ts';
import type { Shape } from './shape.ts';
import type { Typed } from './typed.ts';

/** The object at another version; undefined where there is no such version any more. */
export type Convert = (object: Typed, apiVersion: string) => Typed | undefined;

/** Thrown by a `Convert` that has to wait: what it was called for is run again once `convert` has resolved. */
export class ConversionPending extends Error {
  readonly convert: () => Promise<void>;

  constructor(convert: () => Promise<void>) {
    super('a conversion is pending');
    this.name = 'ConversionPending';
    this.convert = convert;
  }
}

export interface Ownership {
  readonly convert: Convert;
  /** Fields that nobody may own through this endpoint, with all below them. */
  readonly ignored: FieldSet;
}

export interface Applied {
  /** The live value itself where the apply changes nothing; else it may share parts of the live and applied values. */
  readonly value: unknown;
  /** Those that were given themselves where nothing changes. */
  readonly managers: Managers;
  /** Whether something may have been taken away: empty lists of the configuration may have gone with it. */
  readonly pruned: boolean;
}

/** What is told by every write or by the server alone. */
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
 * A write that is no apply, `change` being what it changes: whoever makes it owns that besides what it owned before, and
 * who owned it owns it no longer. The time of an entry is new only where its fields are. Where nothing changes the managers
 * that were given are the answer.
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
  const settled = settle(live, next, before, undefined, comparison, ownership, true);
  if (isEmpty(changed)) return settled;
  const fields = asRecorded(next.shape, union(settled.get(identifier)?.fields ?? EMPTY, changed));
  const time = own && equalSets(own.fields, fields) ? own.time : writer.time;
  return new Map(settled).set(identifier, managerOf(writer, fields, time));
}

/** Whether who writes again what it owns, and nobody else does, changes nothing else: most updates are such. */
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

/** Objects of a kind mostly have the fields of the one written before: they share its set, or branches of it, with all that is known of them. */
function asRecorded(shape: Shape, fields: FieldSet): FieldSet {
  const last = recorded.get(shape);
  const shared = sharing(fields, last);
  if (shared !== last) recorded.set(shape, shared);
  return shared;
}

/**
 * Lays an applied configuration over the live object, takes away what the applier claimed before and nobody claims now,
 * and says who owns what. Throws `ApplyConflicts` unless forced, `TypedError` for lists whose items cannot be told apart.
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
  const claimed = part(() =>
    recursiveDifference(claimedFields(config.shape, config.value, last?.fields, same), ownership.ignored),
  );
  const claims = new Map(before).set(identifier, managerOf(applier, claimed, last?.time));
  const pruned = !claimsAll(config, claimed, last);
  const next = pruned ? part(() => prune(merged, claims, last, ownership.convert)) : merged;
  const change = part(() => compareValues(live.shape, live.value, next.value));
  const settled = part(() =>
    settle(live, next, claims, identifier, withoutIgnored(change, ownership), ownership, force),
  );
  const fields = sameOr(difference(claimed, NEVER_OWNED), last?.fields);
  const owned = withFields(settled, identifier, fields);
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

/** Takes from all managers but the writer what has changed or gone; refuses where that is not forced. */
function settle(
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
  const settled = new Map(managers);
  const taken: { identifier: string; owner: Manager; fields: FieldSet }[] = [];
  for (const [identifier, owner] of managers) {
    if (identifier === writer) continue;
    if (!byVersion.has(owner.apiVersion))
      byVersion.set(owner.apiVersion, compareAt(live, next, owner.apiVersion, ownership));
    const change = byVersion.get(owner.apiVersion);
    if (!change) {
      settled.delete(identifier);
      continue;
    }
    const fields = intersection(owner.fields, union(change.modified, change.added));
    if (!isEmpty(fields)) taken.push({ identifier, owner, fields });
    const rest = difference(difference(owner.fields, fields), change.removed);
    if (rest !== owner.fields) settled.set(identifier, managerOf(owner, rest, owner.time));
  }
  if (!force && taken.length > 0) throw new ApplyConflicts(conflictsOf(taken));
  return withoutEmpty(settled);
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

/** The managers' fields as today's schema has them. */
function reconciled(live: Typed, managers: Managers, { convert }: Ownership): Managers {
  let result = managers;
  for (const [identifier, { apiVersion, fields }] of managers) {
    const typed = convert(live, apiVersion);
    if (typed) result = withFields(result, identifier, reconcileFields(typed.shape, fields));
  }
  return result;
}

/** Whether an applier claims everything that it claimed last time: then nothing is to be pruned. */
const claimsAll = ({ apiVersion }: Typed, claimed: FieldSet, last: Manager | undefined): boolean =>
  last === undefined || (last.apiVersion === apiVersion && isEmpty(difference(last.fields, claimed)));

/** Removes what the applier claimed last time, except what somebody claims now and what the applier never claimed. */
function prune(merged: Typed, claims: Managers, last: Manager | undefined, convert: Convert): Typed {
  if (!last || isEmpty(last.fields)) return merged;
  const atLast = convert(merged, last.apiVersion);
  if (!atLast) return merged;
  const lastFields = withNamedFields(atLast.shape, last.fields);
  const pruned = without(atLast, lastFields);
  const kept = addBackOwned(atLast, pruned, claims, convert);
  const prunedFields = namedFieldsOf(convert(kept, last.apiVersion) ?? kept);
  const dangling = intersection(difference(namedFieldsOf(atLast), prunedFields), lastFields);
  return convert(without(atLast, dangling), merged.apiVersion) ?? merged;
}

/** Puts back what was pruned and belongs to another manager, or to the applier's new configuration. */
function addBackOwned(merged: Typed, pruned: Typed, claims: Managers, convert: Convert): Typed {
  const byVersion = new Map<string, FieldSet>();
  for (const { apiVersion, fields } of claims.values())
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
  withNamedFields(shape, claimedFields(shape, value));
