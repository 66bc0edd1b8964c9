import { dirname, isAbsolute, resolve } from 'node:path';
import { messageOf } from '../../base/errors/index.ts';
import { parseYamlFile } from '../../base/yaml/index.ts';
import { isRecord } from '../../base/collections/index.ts';
import { ClientError } from './client-error.ts';
import type { KubeconfigOptions } from './kubeconfig-options.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A named entry of a kubeconfig file. `wrong` creates an error that names the file and the entry. */
export interface Entry {
  readonly fields: Fields;
  readonly label: string;
  wrong(what: string): ClientError;
}

/**
 * Parses a kubeconfig file. Throws `ERR_CONFIG` with the line number and without a quote, because the file
 * may contain secrets.
 */
export function parseRoot(text: string, path: string): Entry {
  const wrong = (what: string): ClientError => new ClientError('ERR_CONFIG', `${path}: ${what}`);
  let parsed: unknown;
  try {
    parsed = parseYamlFile(text);
  } catch (thrown) {
    throw wrong(messageOf(thrown));
  }
  if (!isRecord(parsed)) throw wrong('must be an object with clusters, users and contexts');
  return { fields: parsed, label: path, wrong };
}

/** Returns the names in a list of the file, for error messages. */
export const namesIn = (root: Entry, list: string): string => {
  const entries = root.fields[list];
  const names = Array.isArray(entries)
    ? entries.flatMap((entry: unknown) => (isRecord(entry) ? [JSON.stringify(entry['name'])] : []))
    : [];
  return names.length === 0 ? `the names in ${list}, which is empty` : names.join(', ');
};

/**
 * Returns the entry `name` of a list. Throws `ERR_CONFIG` with the known names if the list lacks the entry.
 */
export function entryOf(root: Entry, list: string, field: string, name: string): Entry {
  const entries = root.fields[list] ?? [];
  if (!Array.isArray(entries)) throw root.wrong(`${list} must be a list of entries with name and ${field}`);
  const found: unknown = entries.find((entry: unknown) => isRecord(entry) && entry['name'] === name);
  if (!isRecord(found))
    throw root.wrong(
      `${field} ${JSON.stringify(name)} is not in ${list}; expected one of ${namesIn(root, list)}`,
    );
  const label = `${list}[name=${JSON.stringify(name)}].${field}`;
  const fields = found[field] ?? {};
  if (!isRecord(fields)) throw root.wrong(`${label} must be an object`);
  return { fields, label, wrong: (what) => root.wrong(`${label}: ${what}`) };
}

/** Returns a string field, or undefined if it is missing or empty. */
export function textOf(entry: Entry, name: string): string | undefined {
  const value = entry.fields[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw entry.wrong(`${name} must be a string`);
  return value;
}

/** Returns a field with a list of strings, or an empty list if it is missing. */
export function textsOf(entry: Entry, name: string): readonly string[] {
  const values = entry.fields[name] ?? [];
  if (!Array.isArray(values) || !values.every((each): each is string => typeof each === 'string'))
    throw entry.wrong(`${name} must be a list of strings`);
  return values;
}

/** Returns a boolean field, or false if it is missing. */
export function flagOf(entry: Entry, name: string): boolean {
  const value = entry.fields[name] ?? false;
  if (typeof value !== 'boolean') throw entry.wrong(`${name} must be true or false`);
  return value;
}

/** Returns a string field. Throws `ERR_CONFIG` if it is missing or empty. */
export function required(entry: Entry, name: string): string {
  const value = textOf(entry, name);
  if (value === undefined) throw entry.wrong(`${name} must be set`);
  return value;
}

/** Resolves a path relative to the directory of the kubeconfig file. */
export const besideFile = (options: Pick<KubeconfigOptions, 'path'>, path: string): string =>
  isAbsolute(path) ? path : resolve(dirname(options.path), path);

/**
 * Returns the PEM in `<name>-data` (base64), otherwise the content of the file at the path `<name>`, or
 * undefined without either.
 */
export async function pemOf(
  entry: Entry,
  name: string,
  options: Pick<KubeconfigOptions, 'path' | 'readFile'>,
): Promise<string | undefined> {
  const data = textOf(entry, `${name}-data`);
  if (data !== undefined) {
    const pem = Buffer.from(data, 'base64').toString('utf8');
    if (!pem.includes('-----BEGIN ')) throw entry.wrong(`${name}-data must be PEM in base64`);
    return pem;
  }
  const path = textOf(entry, name);
  if (path === undefined) return undefined;
  const at = besideFile(options, path);
  const pem = await options.readFile(at).catch((cause: unknown) => {
    throw entry.wrong(`${name}: failed to read ${at}: ${messageOf(cause)}`);
  });
  if (!pem.includes('-----BEGIN ')) throw entry.wrong(`${name}: ${at} must be a PEM file`);
  return pem;
}
