import { readJson, writeJson } from '../../api/schema/index.ts';
import { ApiError } from '../../api/status/index.ts';
import { isRecord } from '../../base/collections/index.ts';
import { type FlagValues, UsageError, integer, list, text, toggle } from '../flags/flags.ts';
import { type Selection, fetchSelection, queryText, selectionPath } from './get-request.ts';
import type { Printer } from './output/printers.ts';
import { metadataText } from './metadata.ts';
import { type Resource, apiVersionOf, namedIn, titleOf } from './resources.ts';
import { type Table, createTableWriter, readTable } from './table.ts';
import { type Terminal, describeRefusal } from './terminal.ts';

export const getFlags = {
  namespace: text('', 'namespace to read; default that of the client configuration (-n)'),
  'all-namespaces': toggle(false, 'all namespaces (-A)'),
  selector: text('', 'label selector, such as app=web,tier!=db (-l)'),
  'field-selector': text('', 'field selector, such as metadata.name=x'),
  output: text(
    '',
    'output format: wide, name, json, yaml, or jsonpath, jsonpath-as-json, jsonpath-file, custom-columns, custom-columns-file, go-template, go-template-file with =TEMPLATE or =FILE; default a table (-o)',
  ),
  template: text('', 'template of -o go-template and of -o go-template-file'),
  'sort-by': text('', 'path of the value to sort by, such as .metadata.creationTimestamp'),
  'show-labels': toggle(false, 'include all labels in a table'),
  'label-columns': list([], 'labels that have their own column in a table (-L)'),
  'show-state': toggle(false, 'include the lifecycle state in a table, for kinds with states'),
  'show-kind': toggle(false, 'include the kind in the names of a table'),
  'no-headers': toggle(false, 'omit the headers of a table'),
  'show-managed-fields': toggle(false, 'include managedFields in JSON and YAML'),
  'ignore-not-found': toggle(false, 'succeed if an object does not exist'),
  subresource: text('', 'subresource to read, such as status or scale'),
  'chunk-size': integer(500, 'maximum number of objects in one response of the server; 0 for no limit', {
    min: 0,
    max: 1_000_000,
  }),
  watch: toggle(false, 'continue with changes (-w)'),
  'watch-only': toggle(false, 'show only changes'),
  'output-watch-events': toggle(false, 'include the type of each change'),
  raw: text('', 'path to request instead of a resource, such as /healthz?verbose'),
};

type Flags = FlagValues<typeof getFlags>;

/** Runs `get TYPE`, `get TYPE NAME…`, `get TYPE/NAME…` and `get --raw PATH`. */
export async function get(terminal: Terminal, words: readonly string[], flags: Flags): Promise<number> {
  if (flags.raw !== '') return getRaw(terminal, flags.raw);
  const named = await terminal.discovery.find((all) => namedIn(all, words));
  const selections = named.flatMap(({ resource, names }) =>
    (names.length === 0 ? [undefined] : names).map((name) => selectionOf(terminal, flags, resource, name)),
  );
  const watches = flags.watch || flags['watch-only'];
  if (watches && selections.length > 1)
    throw new UsageError('--watch accepts one resource and at most one name');
  if (flags['all-namespaces'] && named.some(({ resource, names }) => resource.namespaced && names.length > 0))
    throw new UsageError('a resource cannot be retrieved by name across all namespaces');
  const printer = await printerOf(terminal, flags, named);
  const reading = new Reading(terminal, flags);
  if (printer !== undefined) await reading.documents(selections, printer);
  else await reading.tables(selections, named.length > 1);
  const [only] = selections;
  if (watches && only !== undefined) await reading.watch(only, printer);
  return reading.finish();
}

async function getRaw(terminal: Terminal, path: string): Promise<number> {
  terminal.print(await terminal.text(path));
  return 0;
}

const isTableOutput = ({ output }: Flags): boolean =>
  output === '' || output === 'wide' || output === 'table';

function selectionOf(
  terminal: Terminal,
  flags: Flags,
  resource: Resource,
  name: string | undefined,
): Selection {
  const { vocabulary } = terminal;
  const own = flags.namespace === '' ? terminal.namespace : flags.namespace;
  return {
    resource,
    namespace: flags['all-namespaces'] ? undefined : own,
    name,
    subresource: flags.subresource,
    labelSelector: flags.selector,
    fieldSelector: flags['field-selector'],
    chunk: flags['chunk-size'],
    accept: isTableOutput(flags)
      ? `application/json;as=Table;g=${vocabulary.group('meta')};v=v1,application/json`
      : 'application/json',
    wholeObjects: (flags['sort-by'] !== '' || flags['show-state']) && isTableOutput(flags),
  };
}

async function printerOf(
  terminal: Terminal,
  flags: Flags,
  named: readonly { readonly resource: Resource }[],
): Promise<Printer | undefined> {
  if (isTableOutput(flags)) return undefined;
  const { createPrinter } = await import('./output/printers.ts');
  const isTemplate = /^(go-template|template)(-?file)?$/.test(flags.output) && flags.template !== '';
  return createPrinter(isTemplate ? `${flags.output}=${flags.template}` : flags.output, {
    read: (path) => terminal.read(path),
    headers: !flags['no-headers'],
    titleOf(object) {
      const { kind, apiVersion } = isRecord(object) ? object : {};
      const name = metadataText(object, 'name');
      const found = named.find(
        ({ resource }) => resource.kind === kind && apiVersionOf(resource) === apiVersion,
      );
      return found === undefined ? `${String(kind).toLowerCase()}/${name}` : titleOf(found.resource, name);
    },
  });
}

class Reading {
  readonly #terminal: Terminal;
  readonly #flags: Flags;
  readonly #refusals: ApiError[] = [];
  /** Version from which a watch continues. */
  #version = '';
  #write: ReturnType<typeof createTableWriter> | undefined;

  constructor(terminal: Terminal, flags: Flags) {
    this.#terminal = terminal;
    this.#flags = flags;
  }

  /** Prints all objects as one document, or one by one. */
  async documents(selections: readonly Selection[], printer: Printer): Promise<void> {
    const found: (readonly unknown[])[] = [];
    for (const selection of selections) {
      const answer = await this.#fetch(selection);
      if (answer !== undefined) found.push(itemsOf(answer, selection).map((each) => this.#prepared(each)));
    }
    if (this.#flags['watch-only']) return;
    const objects = await this.#sorted(found.flat(), (object) => object);
    const isOne = selections.length === 1 && selections[0]?.name !== undefined;
    if (!printer.takesList) for (const object of objects) this.#terminal.print(printer.print(object));
    else if (!isOne || objects.length > 0) {
      const [only] = objects;
      const whole = isOne
        ? only
        : { apiVersion: 'v1', items: objects, kind: 'List', metadata: { resourceVersion: '' } };
      this.#terminal.print(printer.print(whole));
    }
  }

  /** Prints one table per resource. */
  async tables(selections: readonly Selection[], showsKinds: boolean): Promise<void> {
    let isFirst = true;
    for (const resource of new Set(selections.map((each) => each.resource))) {
      const tables: Table[] = [];
      for (const selection of selections.filter((each) => each.resource === resource)) {
        const answer = await this.#fetch(selection);
        if (answer !== undefined) tables.push(await this.#tableOf(answer, resource));
      }
      const [first] = tables;
      if (first === undefined || this.#flags['watch-only']) continue;
      const rows = await this.#sorted(
        tables.flatMap((table) => table.rows),
        ({ object }) => object,
      );
      if (rows.length === 0) continue;
      if (!isFirst) this.#terminal.print('\n');
      isFirst = false;
      this.#terminal.print(
        this.#writerFor(resource, showsKinds)({ columns: first.columns, rows }, this.#event('ADDED')),
      );
    }
    if (isFirst && this.#refusals.length === 0 && !this.#flags['watch-only']) this.#noticeNothing(selections);
  }

  /** Prints changes since the list until the server or the user ends the watch. */
  async watch(selection: Selection, printer: Printer | undefined): Promise<void> {
    if (this.#refusals.length > 0) return;
    const { name, labelSelector, fieldSelector, wholeObjects } = selection;
    const collection = { ...selection, name: undefined };
    const query = queryText({
      watch: 'true',
      resourceVersion: this.#version,
      labelSelector,
      fieldSelector: name === undefined ? fieldSelector : `metadata.name=${name}`,
      includeObject: wholeObjects ? 'Object' : '',
    });
    for await (const line of this.#terminal.follow(
      `${selectionPath(collection)}${query}`,
      selection.accept,
    )) {
      const event: unknown = readJson(line);
      const { type, object } = isRecord(event) ? event : {};
      if (type === 'ERROR') throw new Error(`the watch ended with ${writeJson(object)}`);
      if (printer === undefined)
        this.#terminal.print(
          this.#writerFor(selection.resource, false)(
            await this.#tableOf(object, selection.resource),
            this.#event(String(type)),
          ),
        );
      else this.#terminal.print(printer.print(this.#changed(String(type), object)));
    }
  }

  /** Prints the errors of objects that could not be read, and returns the exit code. */
  finish(): number {
    for (const refusal of this.#refusals) this.#terminal.notice(describeRefusal(refusal));
    return this.#refusals.length === 0 ? 0 : 1;
  }

  #event(type: string): string | undefined {
    return this.#flags['output-watch-events'] ? type : undefined;
  }

  #changed(type: string, object: unknown): unknown {
    const prepared = this.#prepared(object);
    return this.#flags['output-watch-events'] ? { type, object: prepared } : prepared;
  }

  /** Returns the response, or undefined if the object cannot be read. */
  async #fetch(selection: Selection): Promise<unknown> {
    try {
      const answer = await fetchSelection(this.#terminal, selection);
      this.#version = metadataText(answer, 'resourceVersion');
      return answer;
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
      if (!(this.#flags['ignore-not-found'] && thrown.status.reason === 'NotFound'))
        this.#refusals.push(thrown);
      return undefined;
    }
  }

  async #tableOf(answer: unknown, resource: Resource): Promise<Table> {
    const table = readTable(answer);
    if (table === undefined)
      throw new UsageError(`the server returned no table of ${resource.plural}; use --output json`);
    if (!this.#flags['show-state']) return table;
    const { withStates } = await import('./state-column.ts');
    const { vocabulary } = this.#terminal;
    return withStates(table, resource, { vocabulary, nowMs: this.#terminal.clock.now() });
  }

  #writerFor(resource: Resource, showsKinds: boolean): ReturnType<typeof createTableWriter> {
    const flags = this.#flags;
    const isWatch = flags.watch || flags['watch-only'];
    if (isWatch && this.#write !== undefined) return this.#write;
    this.#write = createTableWriter({
      wide: flags.output === 'wide',
      namespaces: flags['all-namespaces'] && resource.namespaced,
      headers: !flags['no-headers'],
      labelColumns: flags['label-columns'],
      labels: flags['show-labels'],
      kindPrefix: showsKinds || flags['show-kind'] ? titleOf(resource, '') : '',
    });
    return this.#write;
  }

  async #sorted<T>(items: readonly T[], objectOf: (item: T) => unknown): Promise<readonly T[]> {
    if (this.#flags['sort-by'] === '') return items;
    const { sorterBy } = await import('./output/sorting.ts');
    return sorterBy(this.#flags['sort-by'], !isTableOutput(this.#flags))(items, objectOf);
  }

  /** Returns the object without `managedFields`, unless these are shown. */
  #prepared(object: unknown): unknown {
    if (this.#flags['show-managed-fields'] || !/^(json|yaml)$/.test(this.#flags.output)) return object;
    if (!isRecord(object) || !isRecord(object['metadata'])) return object;
    const { managedFields: _, ...metadata } = object['metadata'];
    return { ...object, metadata };
  }

  #noticeNothing(selections: readonly Selection[]): void {
    if (this.#flags['ignore-not-found']) return;
    const [only] = selections;
    const namespace = only?.resource.namespaced === true ? only.namespace : undefined;
    this.#terminal.notice(
      `No resources found${namespace === undefined ? '' : ` in ${namespace} namespace.`}`,
    );
  }
}

/** Returns the items of a collection with their kind, or the object itself. */
function itemsOf(answer: unknown, { resource, name }: Selection): readonly unknown[] {
  if (name !== undefined || !isRecord(answer) || !Array.isArray(answer['items'])) return [answer];
  const { kind } = resource;
  const apiVersion = apiVersionOf(resource);
  return answer['items'].map((item: unknown) => (isRecord(item) ? { apiVersion, kind, ...item } : item));
}
