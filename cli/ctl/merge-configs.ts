import { dirname, isAbsolute, resolve } from 'node:path';
import { parse } from 'yaml';
import { isRecord } from '../../base/collections/record.ts';

export interface ConfigFile {
  readonly path: string;
  readonly text: string;
}

type Fields = Readonly<Record<string, unknown>>;
type ToPath = (value: unknown) => unknown;

/**
 * Several client configurations as one, as the list in an environment variable means them: of a context, cluster or user the
 * first file that has one of that name says what it is, and so with everything else. What each file names beside itself is
 * named from the root of the file system. One file is handed on as it stands, also one that cannot be read as YAML; so is the
 * first such of several, whose reader then says what is wrong with it.
 */
export function mergeConfigs(files: readonly [ConfigFile, ...ConfigFile[]]): ConfigFile {
  if (files.length === 1) return files[0];
  const merged: Record<string, unknown> = {};
  for (const file of files) {
    const fields = fieldsOf(file);
    if (fields === undefined) return file;
    for (const [name, value] of Object.entries(anchored(fields, dirname(resolve(file.path)))))
      merged[name] = joined(merged[name], value);
  }
  return { path: files.map(({ path }) => path).join(', '), text: JSON.stringify(merged) };
}

function fieldsOf({ text }: ConfigFile): Fields | undefined {
  try {
    const parsed: unknown = parse(text, { logLevel: 'error' }) ?? {};
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Lists are of named entries; of two with one name the earlier counts. */
function joined(earlier: unknown, later: unknown): unknown {
  if (Array.isArray(earlier)) return Array.isArray(later) ? [...earlier, ...(later as unknown[])] : earlier;
  return earlier === undefined || earlier === null || earlier === '' ? later : earlier;
}

function anchored(fields: Fields, folder: string): Fields {
  const toPath: ToPath = (value) =>
    typeof value === 'string' && value !== '' && !isAbsolute(value) ? resolve(folder, value) : value;
  // What is looked up in the search path stays a name.
  const toCommand: ToPath = (value) =>
    typeof value === 'string' && value.includes('/') ? toPath(value) : value;
  return within(fields, {
    clusters: entries('cluster', { 'certificate-authority': toPath }),
    users: entries('user', {
      'client-certificate': toPath,
      'client-key': toPath,
      tokenFile: toPath,
      exec: (exec) => within(exec, { command: toCommand }),
      'auth-provider': (provider) =>
        within(provider, { config: (config) => within(config, { 'idp-certificate-authority': toPath }) }),
    }),
  }) as Fields;
}

const entries =
  (field: string, changes: Readonly<Record<string, ToPath>>): ToPath =>
  (list) =>
    Array.isArray(list)
      ? list.map((entry) => within(entry, { [field]: (fields) => within(fields, changes) }))
      : list;

/** The object with some of its fields changed, where it has them; anything else as it is. */
function within(value: unknown, changes: Readonly<Record<string, ToPath>>): unknown {
  if (!isRecord(value)) return value;
  const changed = Object.entries(value).map(([name, each]) => [name, changes[name]?.(each) ?? each]);
  return Object.fromEntries(changed);
}
