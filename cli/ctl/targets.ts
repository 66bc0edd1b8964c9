import { isRecord } from '../../base/collections/index.ts';
import { UsageError, list, text, toggle } from '../flags/flags.ts';
import { fetchSelection } from './get-request.ts';
import { readManifests } from './manifests.ts';
import { metadataText } from './metadata.ts';
import { type Resource, namedIn, resourceOfKind } from './resources.ts';
import type { Terminal } from './terminal.ts';

/** Object that a command acts on. */
export interface Target {
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
}

/** Flags that select objects. */
export const targetFlags = {
  filename: list([], 'files with objects in YAML or JSON, folders of files, - for standard input (-f)'),
  recursive: toggle(false, 'also the folders in a folder of --filename (-R)'),
  namespace: text('', 'namespace of the objects; default that of the client configuration (-n)'),
  selector: text('', 'label selector, such as app=web,tier!=db (-l)'),
  'field-selector': text('', 'field selector, such as metadata.name=x'),
  all: toggle(false, 'all objects of the resources in the namespace'),
  'all-namespaces': toggle(false, 'all namespaces (-A)'),
};

export interface TargetFlags {
  readonly filename: readonly string[];
  readonly recursive: boolean;
  readonly namespace: string;
  readonly selector: string;
  readonly 'field-selector': string;
  readonly all: boolean;
  readonly 'all-namespaces': boolean;
}

/**
 * Returns the objects that files, names or selectors select. Throws `UsageError` if nothing selects objects, and
 * if names and selectors are combined.
 */
export async function targetsOf(
  terminal: Terminal,
  words: readonly string[],
  flags: TargetFlags,
): Promise<readonly Target[]> {
  const selects = flags.selector !== '' || flags['field-selector'] !== '' || flags.all;
  if (flags.filename.length > 0) {
    if (words.length > 0)
      throw new UsageError(`--filename accepts no names, received ${JSON.stringify(words[0])}`);
    return targetsInFiles(terminal, flags);
  }
  const named = await terminal.discovery.find((all) => namedIn(all, words));
  const targets: (readonly Target[])[] = [];
  for (const { resource, names } of named) {
    if (names.length > 0 && selects)
      throw new UsageError('names cannot be combined with --selector, --field-selector or --all');
    if (names.length === 0 && !selects)
      throw new UsageError(
        `no object of ${resource.plural}: expected TYPE NAME, TYPE/NAME, --selector, --field-selector, --all or --filename`,
      );
    const namespace = flags.namespace || terminal.namespace;
    targets.push(
      names.length > 0
        ? names.map((name) => ({ resource, namespace, name }))
        : await targetsSelected(terminal, flags, resource),
    );
  }
  return targets.flat();
}

async function targetsInFiles(terminal: Terminal, flags: TargetFlags): Promise<readonly Target[]> {
  const manifests = await readManifests(terminal, flags.filename, flags.recursive);
  return terminal.discovery.find((all) =>
    manifests.map(({ apiVersion, kind, name, namespace }) => ({
      resource: resourceOfKind(all, apiVersion, kind),
      namespace: namespace || flags.namespace || terminal.namespace,
      name,
    })),
  );
}

async function targetsSelected(
  terminal: Terminal,
  flags: TargetFlags,
  resource: Resource,
): Promise<readonly Target[]> {
  const own = flags.namespace || terminal.namespace;
  const found = await fetchSelection(terminal, {
    resource,
    namespace: flags['all-namespaces'] ? undefined : own,
    name: undefined,
    subresource: '',
    labelSelector: flags.selector,
    fieldSelector: flags['field-selector'],
    chunk: 500,
    accept: `application/json;as=PartialObjectMetadataList;g=${terminal.vocabulary.group('meta')};v=v1,application/json`,
    wholeObjects: false,
  });
  const items = isRecord(found) && Array.isArray(found['items']) ? (found['items'] as unknown[]) : [];
  return items.map((item) => ({
    resource,
    namespace: metadataText(item, 'namespace') || own,
    name: metadataText(item, 'name'),
  }));
}
