import { useEffect, useState } from 'preact/hooks';
import type { ResourceName } from '../model/view.ts';
import { ResponseError, send, sendForJson, linesOf, wait } from './access.ts';
import { type PlainObject, collectionPath, nameOf } from './api.ts';

/**
 * The fields of a `Table` that the page reads:
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables
 */
interface Table {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly columnDefinitions?: readonly Column[];
  readonly rows?: readonly { readonly cells: readonly unknown[]; readonly object: PlainObject }[];
}

/** Column of a table. Columns with the priority 0 are visible by default. */
export interface Column {
  readonly name: string;
  readonly priority: number;
  readonly description?: string;
}

/** One object of a table. */
export interface TableRow {
  /** Name in the form `namespace/name` or `name`. */
  readonly name: string;
  readonly namespace: string;
  readonly cells: readonly string[];
  /** Name and cells in lower case, in which the page searches. */
  readonly text: string;
}

/** All objects of a resource that have been read so far. */
export interface LiveTable {
  readonly columns: readonly Column[];
  /** The rows, sorted by name. */
  readonly rows: readonly TableRow[];
  /** True if all pages have been read. */
  readonly complete: boolean;
}

const PAGE = 500;
/** Period in milliseconds after which changes are rendered together. */
const SHOW_MS = 250;
const RETRY_MS = 1_000;

type Shown = { readonly table?: LiveTable; readonly problem?: Error };

/** Lists all pages of a resource as a table and updates it with a watch. */
export function useTable(resource: ResourceName, metaGroup: string): Shown {
  const [shown, show] = useState<Shown>({});
  useEffect(() => {
    const leaving = new AbortController();
    void follow(resource, metaGroup, leaving.signal, (table) => show({ table })).catch((thrown: unknown) => {
      if (!leaving.signal.aborted)
        show({ problem: thrown instanceof Error ? thrown : new Error(String(thrown)) });
    });
    return () => leaving.abort();
  }, []);
  return shown;
}

/** Mutable state of one followed resource. */
interface Followed {
  columns: readonly Column[];
  rows: Map<string, TableRow>;
  /** Resource version from which to watch; undefined if the resource must be listed first. */
  version: string | undefined;
}

async function follow(
  resource: ResourceName,
  metaGroup: string,
  signal: AbortSignal,
  show: (table: LiveTable) => void,
): Promise<void> {
  const accept = `application/json;as=Table;v=v1;g=${metaGroup}`;
  const read = { path: collectionPath(resource), accept, signal };
  const state: Followed = { columns: [], rows: new Map(), version: undefined };
  const showAll = (): void => show(tableOf(state, true));
  while (!signal.aborted)
    try {
      if (state.version === undefined) {
        await listPages(read, state, show);
        showAll();
      }
      await watchRows(read, state, showAll);
    } catch (thrown) {
      if (signal.aborted) return;
      if (thrown instanceof ResponseError && thrown.status === 410) state.version = undefined;
      else if (thrown instanceof ResponseError && thrown.status < 429) throw thrown;
      else await wait(RETRY_MS);
    }
}

interface Reading {
  readonly path: string;
  readonly accept: string;
  readonly signal: AbortSignal;
}

/** Reads all pages. The previous rows of a re-listed resource stay until the list is complete. */
async function listPages(
  { path, accept, signal }: Reading,
  state: Followed,
  show: (table: LiveTable) => void,
): Promise<void> {
  const rows = new Map<string, TableRow>();
  const isRelist = state.rows.size > 0;
  let next = '';
  do {
    const query = new URLSearchParams({ limit: String(PAGE), ...(next === '' ? {} : { continue: next }) });
    const page = await sendForJson<Table>(`${path}?${query}`, { accept, signal });
    if (next === '') {
      state.columns = page.columnDefinitions ?? [];
      state.version = page.metadata?.resourceVersion;
    }
    for (const row of rowsOf(page)) rows.set(row.name, row);
    next = page.metadata?.continue ?? '';
    if (next !== '' && !isRelist) show(tableOf({ columns: state.columns, rows }, false));
  } while (next !== '');
  state.rows = rows;
}

const rowsOf = ({ rows = [] }: Table): readonly TableRow[] =>
  rows.map(({ cells, object }) => {
    const name = nameOf(object);
    const texts = cells.map((cell) => String(cell ?? ''));
    return {
      name,
      namespace: object.metadata?.namespace ?? '',
      cells: texts,
      text: `${name} ${texts.join(' ')}`.toLowerCase(),
    };
  });

const tableOf = ({ columns, rows }: Pick<Followed, 'columns' | 'rows'>, complete: boolean): LiveTable => ({
  columns,
  rows: [...rows.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
  complete,
});

/** Follows a watch until the server ends it. Throws a `ResponseError` with 410 if a re-list is needed. */
async function watchRows(
  { path, accept, signal }: Reading,
  state: Followed,
  changed: () => void,
): Promise<void> {
  const query = new URLSearchParams({
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion: state.version ?? '',
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    for await (const line of linesOf(await send(`${path}?${query}`, { accept, signal }))) {
      if (line === '') continue;
      const { type, object }: { type: string; object: Table & { readonly code?: number } } = JSON.parse(line);
      if (type === 'ERROR') throw new ResponseError(object.code ?? 410, 'the server ended the watch');
      takeEvent(state, type, object);
      if (type === 'BOOKMARK') continue;
      timer ??= setTimeout(() => {
        timer = undefined;
        changed();
      }, SHOW_MS);
    }
  } finally {
    if (timer !== undefined) {
      clearTimeout(timer);
      changed();
    }
  }
}

function takeEvent(state: Followed, type: string, table: Table): void {
  const version = table.rows?.at(-1)?.object.metadata?.resourceVersion ?? table.metadata?.resourceVersion;
  if (version !== undefined && version !== '') state.version = version;
  if (type === 'BOOKMARK') return;
  for (const row of rowsOf(table))
    if (type === 'DELETED') state.rows.delete(row.name);
    else state.rows.set(row.name, row);
}
