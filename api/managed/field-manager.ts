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

/** Description of a write whose fields are tracked. */
export interface FieldWrite {
  /** Schema of the kind; undefined for a kind without a schema. */
  readonly schema: StructSchema | undefined;
  /** Version of the request, in the form of an object's `apiVersion`. */
  readonly apiVersion: string;
  /** Name of the field manager; `''` is recorded as `unknown`. */
  readonly manager: string;
  /** Name of the subresource; `''` for the object itself. */
  readonly subresource: string;
  /** Time of the write, RFC 3339 in whole seconds. */
  readonly time: string;
  /** Fields that this endpoint resets, see `resetFields`. */
  readonly reset: FieldSet;
  /** Converts between versions of the kind; undefined if the kind has only one version. */
  readonly convert?: Convert;
}

/** Description of a write other than an apply. */
export interface UpdateWrite extends FieldWrite {
  /** The stored object in the version of the request; undefined on create. */
  readonly live: object | undefined;
  /** The new object before admission. Changes by admission are attributed to no manager. */
  readonly next: object;
  /** `metadata.managedFields` as the client sent it; undefined if the client sent none. */
  readonly given: unknown;
}

/**
 * Returns the managedFields of an object after a create, an update or a patch other than apply; undefined if
 * the object has none.
 *
 * The writer owns the fields that it changes. A client may send managedFields: an empty list or one empty
 * entry clears them, and unreadable managedFields are ignored. An object without managedFields is not tracked
 * until its first apply. Leaves its arguments unchanged.
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
    // The items of a list are indistinguishable. Like upstream, drop managedFields rather than store wrong
    // ones.
    if (thrown instanceof TypedError) return undefined;
    throw thrown;
  }
}

/** Description of a server-side apply. */
export interface ApplyWrite extends FieldWrite {
  /** The stored object in the version of the request; undefined on create. */
  readonly live: object | undefined;
  /** The applied configuration as the client sent it. */
  readonly config: object;
  /**
   * Parts of `config` that the same manager has already applied to this `live` object, see
   * `compareConfigurations`.
   */
  readonly same?: Reapplied;
  /** True to take conflicting fields from other managers. */
  readonly force: boolean;
  /**
   * Name of the manager whose earlier client-side applies become server-side applies, and the annotation that
   * records the client-side applies. A client that uses another manager name opts out of this migration.
   */
  readonly clientSide: { readonly manager: string; readonly annotation: string };
}

/**
 * Error for an invalid configuration, or for a stored object that cannot be read. The message is that of
 * upstream.
 */
export class UnappliableError extends Error {
  constructor(during: string, cause: unknown) {
    super(`${during}: ${messageOf(cause)}`, { cause });
    this.name = 'UnappliableError';
  }
}

/** Result of a server-side apply. */
export interface ApplyResult {
  /** The new object without managedFields, not yet decoded. It shares parts with the arguments. */
  readonly object: unknown;
  readonly managedFields: readonly ManagedFieldsEntry[] | undefined;
  /** True if the object may lack parts of the configuration, see `Applied`. */
  readonly pruned: boolean;
}

/**
 * Performs a server-side apply. Leaves `live` and `config` unchanged.
 *
 * Throws `ApplyConflicts` if the configuration would change fields of other managers without force. Throws
 * `UnappliableError` if the configuration does not match the schema or the stored object cannot be read.
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

/** Runs one step of an apply. The message of an error in the step is prefixed with the name of the step. */
function during<T>(step: string, run: () => T): T {
  try {
    return run();
  } catch (thrown) {
    if (isFinal(thrown)) throw thrown;
    throw new UnappliableError(step, thrown);
  }
}

/** True for an error that is rethrown without a prefix. */
const isFinal = (thrown: unknown): boolean =>
  thrown instanceof ApplyConflicts ||
  thrown instanceof UnappliableError ||
  thrown instanceof ConversionPending;

/** Runs an apply and ignores conflicts about fields that the same client has set by client-side apply. */
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

/** Attributes every field of a previously untracked object to the manager `before-first-apply`. */
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

/**
 * True for an empty list, and for a list with a single empty entry. A client clears managedFields by sending
 * either.
 */
const isReset = (given: unknown): boolean =>
  Array.isArray(given) &&
  (given.length === 0 || (given.length === 1 && isObject(given[0]) && Object.keys(given[0]).length === 0));

function readable(entries: unknown): Managers {
  try {
    return parseManagers(entries);
  } catch {
    // Like upstream, ignore unreadable entries, because a write must not fail because of them.
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

/** Returns the object without its managedFields, together with its shape. */
export const typedObject = (schema: StructSchema | undefined, apiVersion: string, object: object): Typed => ({
  apiVersion,
  shape: schema ? shapeOf(schema) : DEDUCED,
  value: withoutManagedFields(object),
});

function withoutManagedFields(object: object): object {
  const metadata = getOwn(object as { [key: string]: unknown }, 'metadata');
  if (!isObject(metadata) || !Object.hasOwn(metadata, 'managedFields')) return object;
  // A loop is several times faster here than rest destructuring.
  const rest: JsonObject = {};
  for (const name of Object.keys(metadata)) if (name !== 'managedFields') setOwn(rest, name, metadata[name]);
  const copy: JsonObject = {};
  for (const name of Object.keys(object))
    setOwn(copy, name, name === 'metadata' ? rest : (object as JsonObject)[name]);
  return copy;
}

const zeros = new WeakMap<StructSchema, { readonly kind: unknown; readonly apiVersion: string }>();

/** Returns an empty object of the kind, as Go would write it. */
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
