import { useEffect, useState } from 'preact/hooks';
import type { ResourceName } from '../model/documents.ts';
import { Refused, ask, askJson, linesOf } from './access.ts';
import { type PlainObject, collectionPath, nameOf } from './api.ts';

/** A `Table` of the API (specification 1, section 4.8), as far as the page reads it. */
interface Table {
  readonly metadata?: { readonly resourceVersion?: string };
  readonly columnDefinitions?: readonly Column[];
  readonly rows: readonly TableRow[];
}

export interface Column {
  readonly name: string;
  readonly priority: number;
  readonly description?: string;
}

export interface TableRow {
  readonly cells: readonly unknown[];
  readonly object: PlainObject;
}

export interface LiveTable {
  readonly columns: readonly Column[];
  /** By `namespace/name`. */
  readonly rows: ReadonlyMap<string, TableRow>;
}

const MOST = 5_000;
/** Rows that come together are shown together. */
const SHOW_MS = 250;

/** The objects of a resource as the server prints them, followed live. */
export function useTable(resource: ResourceName, metaGroup: string): { table?: LiveTable; problem?: Error } {
  const [shown, show] = useState<{ table?: LiveTable; problem?: Error }>({});
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

async function follow(
  resource: ResourceName,
  metaGroup: string,
  signal: AbortSignal,
  show: (table: LiveTable) => void,
): Promise<void> {
  const accept = `application/json;as=Table;v=v1;g=${metaGroup}`;
  const path = collectionPath(resource);
  while (!signal.aborted) {
    const list = await askJson<Table>(`${path}?limit=${MOST}`, { accept, signal });
    const columns = list.columnDefinitions ?? [];
    const rows = new Map(list.rows.map((row) => [nameOf(row.object), row]));
    show({ columns, rows: new Map(rows) });
    await watchRows(
      `${path}?watch=true&resourceVersion=${list.metadata?.resourceVersion ?? ''}`,
      accept,
      signal,
      rows,
      () => show({ columns, rows: new Map(rows) }),
    );
  }
}

/** Ends when the server ends the watch, or when it has to be listed again. */
async function watchRows(
  url: string,
  accept: string,
  signal: AbortSignal,
  rows: Map<string, TableRow>,
  changed: () => void,
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    for await (const line of linesOf(await ask(url, { accept, signal }))) {
      if (line === '') continue;
      const { type, object }: { type: string; object: Table } = JSON.parse(line);
      if (type === 'ERROR') return;
      for (const row of object.rows ?? [])
        if (type === 'DELETED') rows.delete(nameOf(row.object));
        else if (type !== 'BOOKMARK') rows.set(nameOf(row.object), row);
      timer ??= setTimeout(() => {
        timer = undefined;
        changed();
      }, SHOW_MS);
    }
  } catch (thrown) {
    // History that has gone is listed again.
    if (!(thrown instanceof Refused && thrown.status === 410)) throw thrown;
  } finally {
    clearTimeout(timer);
  }
  changed();
}
