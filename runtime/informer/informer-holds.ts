import type { ApiObject, Kind } from '../../api/kinds/index.ts';
import type { Informer, InformerHold, InformerScope } from './informer.ts';
import type { SharedInformer } from './informer-contract.ts';

/** Identity of a kind, independent of its object type. */
export type KindName = Pick<Kind, 'group' | 'version' | 'plural'>;

/** An informer and the number of views that hold it. */
export interface SharedEntry {
  readonly informer: SharedInformer<ApiObject>;
  /** Key that identifies the kind and scope. */
  readonly key: string;
  /** Key that identifies the kind in any scope, for `release`. */
  readonly resource: string;
  /** Number of views that hold the informer; it stops when the number drops to 0. */
  holds: number;
}

/** Shared informers of a process, as used by the views. */
export interface EntryTable {
  /** Returns a key of a kind from its API version and plural. */
  resourceOf(kind: KindName): string;
  /** Returns the running entry of a kind and scope, or a new entry. */
  find(kind: Kind<never>, scope: InformerScope): SharedEntry;
  /** Called with an entry returned by `find` after a view has started to hold it. */
  acquired(entry: SharedEntry): void;
  /** Called with an entry after its last view has released it. */
  unused(entry: SharedEntry): Promise<void>;
}

/**
 * Opens a view on shared informers. The view counts as one holder of an informer, however often it acquires
 * the informer.
 */
export function openHold(table: EntryTable): InformerHold {
  const held = new Set<SharedEntry>();
  let isClosed = false;
  const releaseAll = async (entries: readonly SharedEntry[]): Promise<void> => {
    const unused = entries.filter((entry) => held.delete(entry) && --entry.holds === 0);
    await Promise.all(unused.map((entry) => table.unused(entry)));
  };
  return {
    of<T extends ApiObject>(kind: Kind<T>, scope: InformerScope = {}): Informer<T> {
      const entry = table.find(kind as unknown as Kind<never>, scope);
      if (!isClosed && !held.has(entry)) {
        held.add(entry);
        entry.holds++;
        table.acquired(entry);
      }
      // The cast is safe: `find` returns an entry with objects of the requested kind.
      return entry.informer as unknown as Informer<T>;
    },
    release(kind) {
      const resource = table.resourceOf(kind);
      return releaseAll([...held].filter((entry) => entry.resource === resource));
    },
    hold: () => openHold(table),
    held: () => [...held].map(({ informer }) => informer),
    close() {
      isClosed = true;
      return releaseAll([...held]);
    },
  };
}
