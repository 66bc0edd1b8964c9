import { UsageError, list, text, toggle } from '../flags/flags.ts';
import { dryRunFlag } from './dry-run.ts';
import { type Manifest, readManifests } from './manifests.ts';
import { type Resource, resourceOfKind } from './resources.ts';
import type { Terminal } from './terminal.ts';

/** Name of this program as the manager of fields. */
const MANAGER = 'orchctl';

/** Flags of the verbs that write. */
export const writeFlags = {
  namespace: text('', 'namespace of the objects; default that of the client configuration (-n)'),
  'dry-run': dryRunFlag,
  'field-manager': text(MANAGER, 'field manager of the fields that are set'),
};

/** Flags of the verbs that write the objects in files. */
export const fileFlags = {
  filename: list([], 'files with objects in YAML or JSON, folders of files, - for standard input (-f)'),
  recursive: toggle(false, 'also the folders in a folder of --filename (-R)'),
  ...writeFlags,
};

/** Object of a file. */
export interface Written {
  readonly resource: Resource;
  readonly namespace: string;
  readonly manifest: Manifest;
}

/**
 * Returns the objects in the files, each with its resource and namespace. Throws `UsageError` if the flag and
 * the file contain different namespaces.
 */
export async function written(
  terminal: Terminal,
  words: readonly string[],
  flags: {
    readonly filename: readonly string[];
    readonly recursive: boolean;
    readonly namespace: string;
  },
): Promise<readonly Written[]> {
  if (words.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(words[0])}`);
  if (flags.filename.length === 0)
    throw new UsageError('no --filename: expected a file, or - for standard input');
  const manifests = await readManifests(terminal, flags.filename, flags.recursive);
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
