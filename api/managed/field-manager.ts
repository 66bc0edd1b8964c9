import { part } from '../../base/budget/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import { decode } from '../schema/decode.ts';
import { type JsonObject, equalJson, getOwn, isObject, setOwn } from '../schema/own.ts';
import type { StructSchema } from '../schema/schema.ts';
import type { ManagedFieldsEntry } from '../types/meta-v1.ts';
import { capManagers } from './cap.ts';
import { type Comparison, compareValues, isUnchanged } from './compare.ts';
import { ApplyConflicts } from './conflict.ts';
import type { FieldSet } from './field-set.ts';
import { remainingConflicts, withLastApplied } from './last-applied.ts';
import {
  type ManagerOperation,
  type Managers,
  NO_MANAGERS,
  parseManagers,
  toManagedFields,
} from './managers.ts';
import { DEDUCED, shapeOf } from './shape.ts';
import { NOTHING_REAPPLIED, type Reapplied } from './reapplied.ts';
import { type Typed, TypedError } from './typed.ts';
import { type Applied, ConversionPending, type Convert, ownApply, ownUpdate } from './updater.ts';
import { checkTyped } from './validate.ts';

/** What every write brings that is to be tracked. */
export interface FieldWrite {
  /** Undefined for a kind without a schema. */
  readonly schema: StructSchema | undefined;
  /** The version the request speaks, as objects write it. */
  readonly apiVersion: string;
  /** Name of the writer; '' is recorded as `unknown`. */
  readonly manager: string;
  /** '' for the object itself. */
  readonly subresource: string;
  /** RFC 3339 in whole seconds. */
  readonly time: string;
  /** Fields that this endpoint sets back, see `resetFields`. */
  readonly reset: FieldSet;
  /** Other versions of the kind; undefined: there is this one alone. */
  readonly convert?: Convert;
}

export interface UpdateWrite extends FieldWrite {
  /** The object as it is, in the request's version; undefined when it is being created. */
  readonly live: object | undefined;
  /** The object as it is to be, before admission: what admission adds is nobody's. */
  readonly next: object;
  /** `metadata.managedFields` as the client sent it, undefined when it did not. */
  readonly given: unknown;
}

/**
 * The managedFields of an object after a create, an update or a patch that is no apply; undefined for none. Whoever writes
 * owns what the write changes. A client may send managedFields of its own: a list that is empty or holds one empty entry
 * clears them, what cannot be read is passed over. Objects without any are not tracked until they are applied.
 * `live`, `next` and `given` are left as they are.
 */
export function updateManaged(write: UpdateWrite): readonly ManagedFieldsEntry[] | undefined {
  const { live } = write;
  const stored = live && managedFieldsOf(live);
  if (live !== undefined && isNone(stored) && isNone(write.given)) return undefined;
  const given = equalJson(write.given, stored) ? undefined : write.given;
  try {
    const next = typedOf(write, write.next);
    const before = live === undefined ? zeroOf(write, write.next) : typedOf(write, live);
    const change = compareValues(before.shape, before.value, next.value);
    if (given === undefined && isUnchanged(change))
      return stored as readonly ManagedFieldsEntry[] | undefined;
    const managers = write.subresource === '' ? givenOr(given, stored) : readable(stored);
    if (live !== undefined && managers.size === 0) return undefined;
    const after = capManagers(update(before, next, change, managers, write));
    if (after === managers && given === undefined) return stored as readonly ManagedFieldsEntry[];
    return written(after);
  } catch (thrown) {
    // A list whose items cannot be told apart: upstream then keeps no managedFields rather than wrong ones.
    if (thrown instanceof TypedError) return undefined;
    throw thrown;
  }
}

export interface ApplyWrite extends FieldWrite {
  /** The object as it is, in the request's version; undefined when it is being created. */
  readonly live: object | undefined;
  /** What the applier wants, as it was sent. */
  readonly config: object;
  /** Parts of `config` that the same manager has applied to `live` as it is, see `compareConfigurations`. */
  readonly same?: Reapplied;
  /** Takes fields from other managers. */
  readonly force: boolean;
  /**
   * The client whose earlier client-side applies are taken over, and the annotation in which it keeps what it applied.
   * Others, and that client under another manager's name, opt out.
   */
  readonly clientSide: { readonly manager: string; readonly annotation: string };
}

/** The configuration cannot be applied, or what is stored not be applied to; the message is upstream's. */
export class UnappliableError extends Error {
  constructor(during: string, cause: unknown) {
    super(`${during}: ${messageOf(cause)}`, { cause });
    this.name = 'UnappliableError';
  }
}

export interface ApplyResult {
  /** The object as it is to be, without managedFields and not yet decoded; shares parts with what was given. */
  readonly object: unknown;
  readonly managedFields: readonly ManagedFieldsEntry[] | undefined;
  /** Whether the object may lack something of the configuration, see `Applied`. */
  readonly pruned: boolean;
}

/**
 * Server-side apply. Throws `ApplyConflicts` where the configuration would change fields of other managers and is not
 * forced, `UnappliableError` where it does not have the kind's shape or what is stored cannot be read. `live` and `config`
 * are left as they are.
 */
export function applyManaged(write: ApplyWrite): ApplyResult {
  const config = typedOf(write, write.config);
  const { same } = write;
  part(() =>
    during('failed to create typed patch object', () => checkTyped(config.shape, config.value, same)),
  );
  const live = write.live === undefined ? zeroOf(write, write.config) : typedOf(write, write.live);
  const [managers, applied] = during('failed to create typed live object', () => {
    const before = part(() => managersToApplyTo(write, live));
    const after = takingOverClientSide(write, live, (force) =>
      ownApply(
        live,
        config,
        before,
        identityOf(write, 'Apply'),
        ownershipOf(write),
        force,
        same ?? NOTHING_REAPPLIED,
      ),
    );
    return [before, after] as const;
  });
  const { manager, annotation } = write.clientSide;
  const object =
    write.manager === manager ? withLastApplied(applied.value, write.config, annotation) : applied.value;
  const stored = write.live && managedFieldsOf(write.live);
  const kept = applied.managers === managers && !isNone(stored);
  return {
    object,
    managedFields: kept ? (stored as readonly ManagedFieldsEntry[]) : part(() => written(applied.managers)),
    pruned: applied.pruned,
  };
}

function managersToApplyTo(write: ApplyWrite, live: Typed): Managers {
  if (write.live === undefined) return NO_MANAGERS;
  const stored = managedFieldsOf(write.live);
  const managers = during('failed to decode managed fields', () => parseManagers(stored));
  return managers.size > 0 ? managers : beforeFirstApply(live, write);
}

/** Runs one step of an apply; what goes wrong in it is named after it. */
function during<T>(step: string, run: () => T): T {
  try {
    return run();
  } catch (thrown) {
    if (isFinal(thrown)) throw thrown;
    throw new UnappliableError(step, thrown);
  }
}

/** True for an error that says all there is to say. */
const isFinal = (thrown: unknown): boolean =>
  thrown instanceof ApplyConflicts ||
  thrown instanceof UnappliableError ||
  thrown instanceof ConversionPending;

/** Conflicts about what the same client set by client-side apply are none. */
function takingOverClientSide(write: ApplyWrite, live: Typed, apply: (force: boolean) => Applied): Applied {
  try {
    return apply(write.force);
  } catch (thrown) {
    const { manager, annotation } = write.clientSide;
    if (!(thrown instanceof ApplyConflicts) || write.manager !== manager) throw thrown;
    const remaining = remainingConflicts(thrown, live, annotation);
    if (remaining.length > 0) throw new ApplyConflicts(remaining);
    return apply(true);
  }
}

/** Everything an object has that was never tracked belongs to a manager of its own. */
function beforeFirstApply(live: Typed, write: ApplyWrite): Managers {
  const zero = zeroOf(write, live.value);
  const change = compareValues(live.shape, zero.value, live.value);
  return update(zero, live, change, NO_MANAGERS, { ...write, manager: 'before-first-apply' });
}

const update = (
  before: Typed,
  next: Typed,
  change: Comparison,
  managers: Managers,
  write: FieldWrite,
): Managers => ownUpdate(before, next, change, managers, identityOf(write, 'Update'), ownershipOf(write));

const identityOf = (
  { manager, apiVersion, subresource, time }: FieldWrite,
  operation: ManagerOperation,
): {
  manager: string;
  operation: ManagerOperation;
  apiVersion: string;
  subresource: string;
  time: string;
} => ({
  manager: manager === '' ? 'unknown' : manager,
  operation,
  apiVersion,
  subresource,
  time,
});

const ownershipOf = ({ convert, reset }: FieldWrite): { convert: Convert; ignored: FieldSet } => ({
  convert: (object, apiVersion) =>
    object.apiVersion === apiVersion ? object : convert?.(object, apiVersion),
  ignored: reset,
});

const isNone = (entries: unknown): boolean =>
  entries === undefined || entries === null || (Array.isArray(entries) && entries.length === 0);

function givenOr(given: unknown, stored: unknown): Managers {
  if (isReset(given)) return NO_MANAGERS;
  const managers = readable(given);
  return managers.size > 0 ? managers : readable(stored);
}

/** A list that is there and empty, or that holds one empty entry. */
const isReset = (given: unknown): boolean =>
  Array.isArray(given) &&
  (given.length === 0 || (given.length === 1 && isObject(given[0]) && Object.keys(given[0]).length === 0));

function readable(entries: unknown): Managers {
  try {
    return parseManagers(entries);
  } catch {
    // Entries that cannot be read count for nothing, as upstream has it: a write must not fail for them.
    return NO_MANAGERS;
  }
}

const written = (managers: Managers): ManagedFieldsEntry[] | undefined =>
  managers.size === 0 ? undefined : toManagedFields(managers);

function managedFieldsOf(object: object): unknown {
  const metadata = getOwn(object as { [key: string]: unknown }, 'metadata');
  return isObject(metadata) ? getOwn(metadata, 'managedFields') : undefined;
}

const typedOf = ({ schema, apiVersion }: FieldWrite, object: object): Typed =>
  typedObject(schema, apiVersion, object);

/** An object read by its schema, without its managedFields. */
export const typedObject = (schema: StructSchema | undefined, apiVersion: string, object: object): Typed => ({
  apiVersion,
  shape: schema ? shapeOf(schema) : DEDUCED,
  value: withoutManagedFields(object),
});

function withoutManagedFields(object: object): object {
  const metadata = getOwn(object as { [key: string]: unknown }, 'metadata');
  if (!isObject(metadata) || !Object.hasOwn(metadata, 'managedFields')) return object;
  // Member by member: spread, and with a member left out, it would take several times as long.
  const rest: JsonObject = {};
  for (const name of Object.keys(metadata)) if (name !== 'managedFields') setOwn(rest, name, metadata[name]);
  const copy: JsonObject = {};
  for (const name of Object.keys(object))
    setOwn(copy, name, name === 'metadata' ? rest : (object as JsonObject)[name]);
  return copy;
}

const zeros = new WeakMap<StructSchema, { readonly kind: unknown; readonly apiVersion: string }>();

/** An object of the kind in which nothing is said yet, as Go would write it. */
function zeroOf(write: FieldWrite, like: unknown): Typed {
  const { schema, apiVersion } = write;
  const shape = schema ? shapeOf(schema) : DEDUCED;
  const kind = isObject(like) ? getOwn(like, 'kind') : undefined;
  if (!schema) return { apiVersion, shape, value: { kind, apiVersion } };
  let zero = zeros.get(schema);
  if (zero?.kind !== kind || zero?.apiVersion !== apiVersion)
    zeros.set(schema, (zero = { ...decode<object>(schema, {}).value, kind, apiVersion }));
  return { apiVersion, shape, value: zero };
}
