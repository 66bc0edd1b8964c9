import { dirname, isAbsolute, resolve } from 'node:path';
import { parse } from 'yaml';
import { isRecord } from '../../base/collections/index.ts';

export interface ConfigFile {
  readonly path: string;
  readonly text: string;
}

type Fields = Readonly<Record<string, unknown>>;
type ToPath = (value: unknown) => unknown;

/**
 * Merges client configurations in the order of a path list. For each context, cluster, user or setting, the
 * first file that contains it wins. Relative paths become absolute.
 *
 * A single file is returned unchanged, even if it is not valid YAML. Of several files, the first invalid file
 * is returned, so that its reader reports the problem.
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

/** Joins lists of named entries. Of two entries with the same name, the earlier wins. */
function joined(earlier: unknown, later: unknown): unknown {
  if (Array.isArray(earlier)) return Array.isArray(later) ? [...earlier, ...(later as unknown[])] : earlier;
  return earlier === undefined || earlier === null || earlier === '' ? later : earlier;
}

function anchored(fields: Fields, folder: string): Fields {
  const toPath: ToPath = (value) =>
    typeof value === 'string' && value !== '' && !isAbsolute(value) ? resolve(folder, value) : value;
  // A command without a slash is looked up in PATH, so it is not a path.
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

/** Returns the object with changes to some of its existing fields. Returns any other value unchanged. */
function within(value: unknown, changes: Readonly<Record<string, ToPath>>): unknown {
  if (!isRecord(value)) return value;
  const changed = Object.entries(value).map(([name, each]) => [name, changes[name]?.(each) ?? each]);
  return Object.fromEntries(changed);
}
