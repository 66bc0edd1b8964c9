import { readJson, writeJson } from '../../api/schema/index.ts';
import { toYaml } from '../../api/yaml/index.ts';
import { isRecord } from '../../base/collections/index.ts';
import { type FlagValues, UsageError, oneOf, text, toggle } from '../flags/flags.ts';
import { type Resource, namedIn, pathOf, titleOf } from './resources.ts';
import { type Table, createTableWriter, readTable } from './table.ts';
import type { Terminal } from './terminal.ts';

const OUTPUTS = ['table', 'wide', 'name', 'json', 'yaml'] as const;

export const outputFlag = oneOf(OUTPUTS, 'table', `output format: ${OUTPUTS.join(', ')} (-o)`);

export const getFlags = {
  namespace: text('', 'namespace to read; default that of the client configuration (-n)'),
  'all-namespaces': toggle(false, 'all namespaces (-A)'),
  selector: text('', 'label selector, such as app=web,tier!=db (-l)'),
  'field-selector': text('', 'field selector, such as metadata.name=x'),
  output: outputFlag,
  watch: toggle(false, 'continue with changes (-w)'),
  raw: text('', 'path to request instead of a resource, such as /healthz?verbose'),
};

type Flags = FlagValues<typeof getFlags>;

/** Runs `get TYPE`, `get TYPE NAME…`, `get TYPE/NAME…` and `get --raw PATH`. */
export async function get(terminal: Terminal, words: readonly string[], flags: Flags): Promise<number> {
  if (flags.raw !== '') return getRaw(terminal, flags.raw);
  const named = await terminal.discovery.find((all) => namedIn(all, words));
  const isOne = named.length === 1 && (named[0]?.names.length ?? 0) < 2;
  if (flags.watch && !isOne) throw new UsageError('--watch accepts one resource and at most one name');
  const documents: unknown[] = [];
  for (const [at, { resource, names }] of named.entries()) {
    const namespaces = flags['all-namespaces'] && resource.namespaced;
    const writer = createTableWriter({ wide: flags.output === 'wide', namespaces });
    if (at > 0 && (flags.output === 'table' || flags.output === 'wide')) terminal.print('\n');
    for (const name of names.length === 0 ? [undefined] : names) {
      const found = await ask(terminal, flags, resource, name);
      if (flags.output !== 'json' && flags.output !== 'yaml') show(terminal, flags, writer, resource, found);
      else if (flags.watch) terminal.print(asDocument(flags.output, [found]));
      else documents.push(found);
      if (flags.watch) await watch(terminal, flags, writer, { resource, name, found });
    }
  }
  if (documents.length > 0) terminal.print(asDocument(flags.output, documents));
  return 0;
}

async function getRaw(terminal: Terminal, path: string): Promise<number> {
  const found = await terminal.ask({ method: 'GET', path });
  terminal.print(typeof found === 'string' ? found : `${writeJson(found)}\n`);
  return 0;
}

/**
 * Returns the `Accept` header. For human-readable output it requests a table, or objects from servers without
 * tables.
 */
const acceptOf = ({ output }: Flags, { vocabulary }: Terminal): string =>
  output === 'json' || output === 'yaml'
    ? 'application/json'
    : `application/json;as=Table;g=${vocabulary.group('meta')};v=v1,application/json`;

function targetPath(terminal: Terminal, flags: Flags, resource: Resource, name?: string): string {
  const namespace = flags.namespace === '' ? terminal.namespace : flags.namespace;
  return pathOf(resource, flags['all-namespaces'] && name === undefined ? undefined : namespace, name);
}

function queryOf(flags: Flags, more: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(more);
  if (flags.selector !== '') query.set('labelSelector', flags.selector);
  if (flags['field-selector'] !== '') query.set('fieldSelector', flags['field-selector']);
  return query.size === 0 ? '' : `?${query.toString()}`;
}

const ask = (
  terminal: Terminal,
  flags: Flags,
  resource: Resource,
  name: string | undefined,
): Promise<unknown> =>
  terminal.ask({
    method: 'GET',
    path: `${targetPath(terminal, flags, resource, name)}${name === undefined ? queryOf(flags) : ''}`,
    headers: { accept: acceptOf(flags, terminal) },
  });

function show(
  terminal: Terminal,
  flags: Flags,
  writer: (table: Table) => string,
  resource: Resource,
  found: unknown,
): void {
  const table = readTable(found);
  if (table === undefined)
    throw new UsageError(`the server returned no table of ${resource.plural}; use --output json`);
  const isLocal = resource.namespaced && !flags['all-namespaces'];
  if (table.rows.length === 0 && !flags.watch)
    terminal.notice(
      `No resources found${isLocal ? ` in ${flags.namespace || terminal.namespace} namespace` : ''}.`,
    );
  else if (flags.output === 'name')
    for (const { name } of table.rows) terminal.print(`${titleOf(resource, name)}\n`);
  else terminal.print(writer(table));
}

/** Prints changes since the response `found` until the server or the user ends the watch. */
async function watch(
  terminal: Terminal,
  flags: Flags,
  writer: (table: Table) => string,
  from: { readonly resource: Resource; readonly name: string | undefined; readonly found: unknown },
): Promise<void> {
  const { resource, name, found } = from;
  const metadata = isRecord(found) && isRecord(found['metadata']) ? found['metadata'] : {};
  const selected = name === undefined ? flags : { ...flags, 'field-selector': `metadata.name=${name}` };
  const query = queryOf(selected, {
    watch: 'true',
    resourceVersion: String(metadata['resourceVersion'] ?? ''),
  });
  const path = `${targetPath(terminal, flags, resource)}${query}`;
  for await (const line of terminal.follow(path, acceptOf(flags, terminal))) {
    const event: unknown = readJson(line);
    const changed = isRecord(event) ? event['object'] : undefined;
    const table = readTable(changed);
    if (flags.output === 'json' || flags.output === 'yaml')
      terminal.print(asDocument(flags.output, [changed]));
    else if (table === undefined) throw new Error(`the watch ended with ${writeJson(changed)}`);
    else show(terminal, flags, writer, resource, changed);
  }
}

function asDocument(output: Flags['output'], documents: readonly unknown[]): string {
  const [only] = documents;
  const value =
    documents.length === 1 ? only : { kind: 'List', apiVersion: 'v1', metadata: {}, items: documents };
  return output === 'yaml' ? toYaml(value) : `${writeJson(value, undefined, 4)}\n`;
}
