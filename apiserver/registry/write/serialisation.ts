import { isDeepStrictEqual } from 'node:util';
import type { ApiObject } from '../../../api/kinds/index.ts';
import {
  type JsonObject,
  chargeItems,
  chargeKeys,
  isObject,
  readJson,
  setOwn,
  writeJson,
} from '../../../api/schema/index.ts';
import type { ManagedFieldsEntry } from '../../../api/types/meta-v1.ts';
import { type Soon, whenThere } from '../../../base/async/index.ts';
import { type WorkBudget, charged, inSteps, spend } from '../../../base/budget/index.ts';
import { unstampResourceVersion } from '../../storage/stamp.ts';
import { normalised } from './decoding.ts';
import type { Resource } from '../resource.ts';

/** Object in stored form: canonical, with kind, apiVersion and metadata first, without a resource version. */
export interface Serialised {
  readonly bytes: Buffer;
  /** Parsed form of `bytes`. The caller may modify the object and its metadata. */
  readonly object: ApiObject;
}

/** Serialises an object for the store, in steps if it is large. */
export const serialised = (
  resource: Target,
  object: ApiObject,
  budget: WorkBudget | undefined,
): Soon<Serialised> => written(resource, object, budget, whole);

/** Returns only the bytes of the serialised object. */
export const storedBytes = (
  resource: Target,
  object: ApiObject,
  budget: WorkBudget | undefined,
): Soon<Buffer> => written(resource, object, budget, bytesOf);

/** Serialises an object in one step, without a budget. */
export const toStoredBytes = (resource: Target, object: ApiObject): Buffer =>
  bytesOf(resource, partsOf(resource, object));

const written = <T>(
  resource: Target,
  object: ApiObject,
  budget: WorkBudget | undefined,
  write: (resource: Target, parts: Parts) => T,
): Soon<T> =>
  whenThere(
    inSteps(budget, () => partsOf(resource, object)),
    (parts) => whenThere(budget?.pause(), () => charged(budget, () => write(resource, parts))),
  );

function whole(resource: Target, { metadata, owners, rest }: Parts): Serialised {
  const bytes = bytesOf(resource, { metadata, owners, rest });
  if (owners) metadata['managedFields'] = owners;
  const { kind, apiVersion } = resource.typeMeta;
  const stored: JsonObject = { kind, apiVersion, metadata };
  for (const name of Object.keys(rest)) if (!HEAD.has(name)) setOwn(stored, name, rest[name]);
  return { bytes, object: stored as ApiObject };
}

type Target = Pick<Resource, 'kind' | 'typeMeta'>;

/** Object in canonical form, without kind and apiVersion. */
interface Parts {
  /** Metadata without managedFields. */
  readonly metadata: JsonObject;
  /**
   * The managedFields, which are last in the encoded metadata. They are large and already canonical, so they
   * are only encoded. Undefined if the object has none.
   */
  readonly owners: readonly ManagedFieldsEntry[] | undefined;
  /** All members of the object. Members that `HEAD` names are undefined. */
  readonly rest: JsonObject;
}

function partsOf(resource: Target, object: ApiObject): Parts {
  const { metadata = {} } = object;
  const owners = metadata.managedFields ?? [];
  // `normalised` returns a new object, which can be modified without a copy.
  const rest = normalised(resource, withMetadata(object, withoutWritten(metadata))) as JsonObject;
  const canonical = (rest['metadata'] ?? {}) as JsonObject;
  for (const name of HEAD) if (rest[name] !== undefined) rest[name] = undefined;
  return { metadata: canonical, owners: owners.length > 0 ? owners : undefined, rest };
}

const HEAD: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'metadata']);

// Copies member by member: objects of a kind then share one hidden class, unlike those created by spreading.

function withMetadata(object: object, metadata: JsonObject): ApiObject {
  const copy: JsonObject = {};
  for (const name of Object.keys(object)) setOwn(copy, name, (object as JsonObject)[name]);
  copy['metadata'] = metadata;
  return copy as ApiObject;
}

/** Returns metadata without managedFields and resourceVersion, which are encoded separately. */
function withoutWritten(metadata: object): JsonObject {
  const copy: JsonObject = {};
  for (const name of Object.keys(metadata))
    if (name !== 'managedFields' && name !== 'resourceVersion')
      setOwn(copy, name, (metadata as JsonObject)[name]);
  return copy;
}

function bytesOf({ typeMeta: { kind, apiVersion } }: Target, { metadata, owners, rest }: Parts): Buffer {
  let text = writeJson({ kind, apiVersion, metadata }).slice(0, -2);
  if (owners) text += `${text.endsWith('{') ? '' : ','}"managedFields":${ownersText(owners)}`;
  const tail = writeJson(rest);
  spend((text.length + tail.length) * CHARACTER);
  return Buffer.from(`${text}}${tail === '{}' ? '}' : `,${tail.slice(1)}`}`);
}

/** Measured cost of one encoded character, in work units. */
const CHARACTER = 0.006;

const fieldTexts = new WeakMap<object, string>();

const keptText = (fields: JsonObject, write: (fields: JsonObject) => string): string => {
  let text = fieldTexts.get(fields);
  if (text === undefined) fieldTexts.set(fields, (text = write(fields)));
  return text;
};

/**
 * Returns the fields of an owner as JSON. Each branch is cached: when one branch changes, such as metadata,
 * the JSON of the other branches is reused.
 */
const fieldsText = (fields: JsonObject): string =>
  `{${Object.keys(fields)
    .map((name) => {
      const branch = fields[name];
      return `${JSON.stringify(name)}:${isObject(branch) ? keptText(branch, JSON.stringify) : JSON.stringify(branch)}`;
    })
    .join(',')}}`;

/** Returns owners as JSON. Their fields rarely change between writes, so the JSON is cached. */
const ownersText = (owners: readonly ManagedFieldsEntry[]): string => `[${owners.map(ownerText).join(',')}]`;

function ownerText(owner: ManagedFieldsEntry): string {
  const { fieldsV1 } = owner;
  if (!isObject(fieldsV1)) return JSON.stringify(owner);
  const fields = keptText(fieldsV1, fieldsText);
  let text = '';
  for (const name of Object.keys(owner)) {
    const value = (owner as JsonObject)[name];
    if (value === undefined) continue;
    text += `${text === '' ? '' : ','}"${name}":${value === fieldsV1 ? fields : JSON.stringify(value)}`;
  }
  return `{${text}}`;
}

/**
 * True if two values have the same stored form. Undefined members are treated as absent, and the order of
 * keys is ignored.
 */
export function equalStored(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    chargeItems(left.length);
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => equalStored(item, right[index]))
    );
  }
  if (!isObject(left) || !isObject(right)) return false;
  let members = 0;
  // Compares from the last key: writes mostly change members after the metadata, which are long.
  const keys = Object.keys(left);
  chargeKeys(keys.length * 2);
  for (const key of keys.reverse()) {
    const value = left[key];
    if (value === undefined) continue;
    if (!Object.hasOwn(right, key) || !equalStored(value, right[key])) return false;
    members += 1;
  }
  for (const key of Object.keys(right)) if (right[key] !== undefined) members -= 1;
  return members === 0;
}

/** True if storing `bytes` in place of `stored` would change only the resource version. */
export function isUnchanged(bytes: Buffer, stored: Buffer): boolean {
  const before = unstampResourceVersion(stored);
  if (before.equals(bytes)) return true;
  // The same fields in another order have the same length. Only bytes of equal length need the expensive
  // comparison.
  return (
    before.length === bytes.length &&
    isDeepStrictEqual(readJson(before.toString('utf8')), readJson(bytes.toString('utf8')))
  );
}
