import { isObject } from '../schema/own.ts';
import type { ManagedFieldsEntry } from '../types/meta-v1.ts';
import { type FieldSet, equalSets } from './field-set.ts';
import { parseFieldsV1, toFieldsV1 } from './fields-v1.ts';

/** Kind of write that an entry records. */
export type ManagerOperation = 'Apply' | 'Update';

/** Identity of one managedFields entry: the writer and the kind of write. */
export interface ManagerIdentity {
  readonly manager: string;
  readonly operation: ManagerOperation;
  /** Version of the fields. It is part of the identity of an `Update` entry, but not of an `Apply` entry. */
  readonly apiVersion: string;
  /** Name of the subresource; `''` for the object itself. */
  readonly subresource: string;
}

/** One decoded entry of managedFields. */
export interface Manager extends ManagerIdentity {
  readonly fields: FieldSet;
  /** Time of the last change, in RFC 3339; undefined if the entry has no time. */
  readonly time: string | undefined;
}

/** Returns an entry with this identity. All members are listed so that all entries have one shape. */
export const managerOf = (
  { manager, operation, apiVersion, subresource }: ManagerIdentity,
  fields: FieldSet,
  time: string | undefined,
): Manager => ({ manager, operation, apiVersion, subresource, time, fields });

/** Entries by identifier, see `identifierOf`. */
export type Managers = ReadonlyMap<string, Manager>;

/** Managers of an object without managedFields. */
export const NO_MANAGERS: Managers = new Map();

/** Returns a string that is equal for equal identities and sorts like upstream's identifiers. */
export function identifierOf({ manager, operation, apiVersion, subresource }: ManagerIdentity): string {
  const version = operation === 'Apply' ? '' : `,"apiVersion":${JSON.stringify(apiVersion)}`;
  const where = subresource === '' ? '' : `,"subresource":${JSON.stringify(subresource)}`;
  return `{"manager":${JSON.stringify(manager)},"operation":"${operation}"${version}${where}}`;
}

/** Reads the managedFields of an object. Throws an `Error` for entries that upstream cannot read. */
export function parseManagers(entries: unknown): Managers {
  const managers = new Map<string, Manager>();
  if (entries === undefined || entries === null) return managers;
  if (!Array.isArray(entries)) throw new Error('managedFields must be a list');
  for (const [index, entry] of (entries as unknown[]).entries()) {
    const { identifier, manager } = readEntry(entry, index);
    managers.set(identifier, manager);
  }
  return managers;
}

interface ReadEntry {
  readonly identifier: string;
  readonly manager: Manager;
}

/** Cache of decoded frozen entries. Entries of stored objects are frozen and are read in every write. */
const known = new WeakMap<object, ReadEntry>();

function readEntry(entry: unknown, index: number): ReadEntry {
  const isFrozen = isObject(entry) && Object.isFrozen(entry);
  const before = isFrozen ? known.get(entry) : undefined;
  if (before) return before;
  const manager = parseManager(entry, index);
  const read = { identifier: identifierOf(manager), manager };
  if (isFrozen) known.set(entry, read);
  return read;
}

function parseManager(entry: unknown, index: number): Manager {
  if (!isObject(entry)) throw new Error(`managed fields entry ${String(index)} must be an object`);
  const { manager, operation, apiVersion, subresource, time, fieldsType, fieldsV1 } = entry;
  if (operation !== 'Apply' && operation !== 'Update')
    throw new Error('operation must be `Apply` or `Update`');
  if (typeof apiVersion !== 'string' || apiVersion === '') throw new Error('apiVersion must not be empty');
  if (fieldsType === undefined || fieldsType === '')
    throw new Error(`missing fieldsType in managed fields entry ${String(index)}`);
  if (fieldsType !== 'FieldsV1')
    throw new Error(
      `invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${String(index)}`,
    );
  return {
    manager: typeof manager === 'string' ? manager : '',
    operation,
    apiVersion,
    subresource: typeof subresource === 'string' ? subresource : '',
    time: typeof time === 'string' ? time : undefined,
    fields: parseFieldsV1(fieldsV1 ?? {}),
  };
}

/**
 * Returns the entries in the order in which they are written: `Apply` before `Update`, older before newer,
 * then by name, version and subresource.
 */
export const toManagedFields = (managers: Managers): ManagedFieldsEntry[] =>
  [...managers.values()].sort(compareManagers).map(toEntry);

function toEntry({ manager, operation, apiVersion, time, fields, subresource }: Manager): ManagedFieldsEntry {
  const entry: ManagedFieldsEntry = {};
  if (manager !== '') entry.manager = manager;
  entry.operation = operation;
  entry.apiVersion = apiVersion;
  if (time !== undefined) entry.time = time;
  entry.fieldsType = 'FieldsV1';
  entry.fieldsV1 = toFieldsV1(fields);
  if (subresource !== '') entry.subresource = subresource;
  return entry;
}

const compareManagers = (left: Manager, right: Manager): number =>
  compareText(left.operation, right.operation) ||
  compareText(left.time ?? '', right.time ?? '') ||
  compareText(left.manager, right.manager) ||
  compareText(left.apiVersion, right.apiVersion) ||
  compareText(left.subresource, right.subresource);

const compareText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/** True if the same managers own the same fields. Times are ignored. */
export function equalManagers(left: Managers, right: Managers): boolean {
  if (left.size !== right.size) return false;
  for (const [identifier, manager] of left) {
    const other = right.get(identifier);
    if (!other || other.apiVersion !== manager.apiVersion || !equalSets(manager.fields, other.fields))
      return false;
  }
  return true;
}

/** Returns the managers with the fields of one entry replaced. An entry without fields is removed. */
export function withFields(managers: Managers, identifier: string, fields: FieldSet): Managers {
  const known = managers.get(identifier);
  if (!known || known.fields === fields) return managers;
  const changed = new Map(managers);
  if (fields.children.size === 0) changed.delete(identifier);
  else changed.set(identifier, managerOf(known, fields, known.time));
  return changed;
}
