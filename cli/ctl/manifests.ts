import { integerOf } from '../../api/schema/index.ts';
import { isRecord } from '../../base/collections/index.ts';
import { CodedError, messageOf } from '../../base/errors/index.ts';
import { parseYamlDocuments } from '../../base/yaml/index.ts';
import type { Terminal } from './terminal.ts';

/** Object defined in a file. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly generateName: string;
  readonly namespace: string;
  readonly object: Readonly<Record<string, unknown>>;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Reads the objects in YAML or JSON files and in the files of folders. A `List` is replaced by its items. Throws an error that names the
 * file.
 */
export async function readManifests(
  terminal: Terminal,
  paths: readonly string[],
  recursive: boolean,
): Promise<readonly Manifest[]> {
  const found: Manifest[] = [];
  const files = await Promise.all(paths.map((path) => terminal.list(path, recursive)));
  for (const path of files.flat())
    for (const value of documentsOf(path, await terminal.read(path)))
      for (const object of itemsOf(value)) found.push(manifestOf(path, object));
  return found;
}

function documentsOf(path: string, text: string): readonly unknown[] {
  try {
    return parseYamlDocuments(text, exact);
  } catch (cause) {
    throw new CodedError('ERR_MANIFEST', `${path} ${messageOf(cause)}`, { cause });
  }
}

const exact = (_key: unknown, value: unknown): unknown =>
  typeof value === 'bigint' ? integerOf(String(value)) : value;

const itemsOf = (value: unknown): readonly unknown[] =>
  isRecord(value) && value['kind'] === 'List' && Array.isArray(value['items']) ? value['items'] : [value];

function manifestOf(path: string, object: unknown): Manifest {
  if (!isRecord(object) || textOf(object['apiVersion']) === '' || textOf(object['kind']) === '')
    throw new CodedError(
      'ERR_MANIFEST',
      `${path} holds a document that is no object: expected apiVersion and kind`,
    );
  const metadata = isRecord(object['metadata']) ? object['metadata'] : {};
  return {
    apiVersion: textOf(object['apiVersion']),
    kind: textOf(object['kind']),
    name: textOf(metadata['name']),
    generateName: textOf(metadata['generateName']),
    namespace: textOf(metadata['namespace']),
    object,
  };
}
