import { readJson } from '../../api/schema/index.ts';
import { isRecord } from '../../base/collections/index.ts';
import { type FlagValues, UsageError, list, oneOf, text, toggle } from '../flags/flags.ts';
import { type Manifest, readManifests } from './manifests.ts';
import { type Resource, namedIn, pathOf, resourceOfKind, titleOf } from './resources.ts';
import type { Terminal } from './terminal.ts';

const MANAGER = 'orchctl';

const namespace = text('', 'namespace of the objects; default that of the client configuration (-n)');
const filename = list([], 'files with objects in YAML or JSON, - for standard input (-f)');
const dryRun = toggle(false, 'let the server process the request without storing it');
const fieldManager = text(MANAGER, 'field manager of the fields that are set');

export const createFlags = { filename, namespace, 'dry-run': dryRun, 'field-manager': fieldManager };
export const applyFlags = {
  ...createFlags,
  'force-conflicts': toggle(false, 'take over fields that other managers own'),
};
export const deleteFlags = {
  filename,
  namespace,
  'dry-run': dryRun,
  cascade: oneOf(
    ['background', 'foreground', 'orphan'],
    'background',
    'handling of dependents: deleted after their owner, before it, or orphaned',
  ),
};
export const patchFlags = {
  namespace,
  patch: text('', 'patch in JSON (-p)'),
  type: oneOf(['strategic', 'merge', 'json'], 'strategic', 'patch type: strategic, merge or json'),
  'dry-run': dryRun,
  'field-manager': fieldManager,
};

interface Written {
  readonly resource: Resource;
  readonly namespace: string;
  readonly manifest: Manifest;
}

/**
 * Returns the objects in the files, each with its resource and namespace. Throws `UsageError` if the flag and
 * the file contain different namespaces.
 */
async function written(
  terminal: Terminal,
  words: readonly string[],
  flags: { readonly filename: readonly string[]; readonly namespace: string },
): Promise<readonly Written[]> {
  if (words.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(words[0])}`);
  if (flags.filename.length === 0)
    throw new UsageError('no --filename: expected a file, or - for standard input');
  const manifests = await readManifests(terminal, flags.filename);
  const readOne = (all: readonly Resource[], manifest: Manifest): Written => {
    const { apiVersion, kind, name } = manifest;
    if (flags.namespace !== '' && manifest.namespace !== '' && flags.namespace !== manifest.namespace)
      throw new UsageError(
        `${kind} ${JSON.stringify(name)} has namespace ${manifest.namespace} in its file, but --namespace is ${flags.namespace}`,
      );
    return {
      resource: resourceOfKind(all, apiVersion, kind),
      namespace: manifest.namespace || flags.namespace || terminal.namespace,
      manifest,
    };
  };
  return terminal.discovery.find((all) => manifests.map((manifest) => readOne(all, manifest)));
}

const queryOf = (parameters: Readonly<Record<string, string | boolean>>): string => {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === false || value === '' ? [] : [`${name}=${encodeURIComponent(String(value))}`],
  );
  return given.length === 0 ? '' : `?${given.join('&')}`;
};

const dryRunOf = (flags: { readonly 'dry-run': boolean }): string => (flags['dry-run'] ? 'All' : '');
const noteOf = (flags: { readonly 'dry-run': boolean }): string =>
  flags['dry-run'] ? ' (server dry run)' : '';

const nameOf = (answer: unknown): string => {
  const metadata = isRecord(answer) ? answer['metadata'] : undefined;
  return isRecord(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : '';
};

/**
 * Runs `apply -f FILE` by server-side apply:
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/
 */
export async function apply(
  terminal: Terminal,
  words: readonly string[],
  flags: FlagValues<typeof applyFlags>,
): Promise<number> {
  const query = queryOf({
    fieldManager: flags['field-manager'],
    force: flags['force-conflicts'],
    dryRun: dryRunOf(flags),
    fieldValidation: 'Strict',
  });
  for (const { resource, namespace: within, manifest } of await written(terminal, words, flags)) {
    if (manifest.name === '')
      throw new UsageError(`a ${manifest.kind} has no name: apply requires metadata.name`);
    await terminal.ask({
      method: 'PATCH',
      path: `${pathOf(resource, within, manifest.name)}${query}`,
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: manifest.object,
    });
    terminal.print(`${titleOf(resource, manifest.name)} applied${noteOf(flags)}\n`);
  }
  return 0;
}

/** Runs `create -f FILE`. */
export async function create(
  terminal: Terminal,
  words: readonly string[],
  flags: FlagValues<typeof createFlags>,
): Promise<number> {
  const query = queryOf({
    fieldManager: flags['field-manager'],
    dryRun: dryRunOf(flags),
    fieldValidation: 'Strict',
  });
  for (const { resource, namespace: within, manifest } of await written(terminal, words, flags)) {
    const path = `${pathOf(resource, within)}${query}`;
    const made = await terminal.ask({ method: 'POST', path, body: manifest.object });
    terminal.print(`${titleOf(resource, nameOf(made) || manifest.name)} created${noteOf(flags)}\n`);
  }
  return 0;
}

/** Runs `delete TYPE NAME…`, `delete TYPE/NAME…` and `delete -f FILE`. */
export async function remove(
  terminal: Terminal,
  words: readonly string[],
  flags: FlagValues<typeof deleteFlags>,
): Promise<number> {
  const targets =
    flags.filename.length > 0
      ? (await written(terminal, words, flags)).map(({ resource, namespace: within, manifest }) => ({
          resource,
          within,
          name: manifest.name,
        }))
      : (await terminal.discovery.find((all) => namedIn(all, words))).flatMap(({ resource, names }) =>
          names.map((name) => ({ resource, within: flags.namespace || terminal.namespace, name })),
        );
  if (targets.length === 0)
    throw new UsageError('nothing to delete: expected TYPE NAME, TYPE/NAME or --filename');
  const propagationPolicy = `${flags.cascade[0]?.toUpperCase() ?? ''}${flags.cascade.slice(1)}`;
  const query = queryOf({ propagationPolicy, dryRun: dryRunOf(flags) });
  for (const { resource, within, name } of targets) {
    await terminal.ask({ method: 'DELETE', path: `${pathOf(resource, within, name)}${query}` });
    terminal.print(`${titleOf(resource, name)} deleted${noteOf(flags)}\n`);
  }
  return 0;
}

/** Runs `patch TYPE NAME -p PATCH`. */
export async function patch(
  terminal: Terminal,
  words: readonly string[],
  flags: FlagValues<typeof patchFlags>,
): Promise<number> {
  const [target, ...more] = await terminal.discovery.find((all) => namedIn(all, words));
  const [name, ...others] = target?.names ?? [];
  if (target === undefined || name === undefined || more.length > 0 || others.length > 0)
    throw new UsageError('expected one object to patch: TYPE NAME or TYPE/NAME');
  const query = queryOf({
    fieldManager: flags['field-manager'],
    dryRun: dryRunOf(flags),
    fieldValidation: 'Strict',
  });
  await terminal.ask({
    method: 'PATCH',
    path: `${pathOf(target.resource, flags.namespace || terminal.namespace, name)}${query}`,
    headers: {
      'content-type': `application/${flags.type === 'strategic' ? 'strategic-merge' : flags.type}-patch+json`,
    },
    body: parsePatch(flags.patch),
  });
  terminal.print(`${titleOf(target.resource, name)} patched${noteOf(flags)}\n`);
  return 0;
}

function parsePatch(given: string): unknown {
  try {
    return readJson(given);
  } catch {
    throw new UsageError('--patch is not valid JSON');
  }
}
