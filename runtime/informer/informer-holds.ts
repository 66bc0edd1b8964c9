import type { ApiObject, Kind } from '../../api/kinds/index.ts';
import type { Informer, InformerHold, InformerScope } from './informer.ts';
import type { SharedInformer } from './shared-informer.ts';

/** Identifies a kind independently of its object type. */
export type KindName = Pick<Kind, 'group' | 'version' | 'plural'>;

/** An informer and the number of views that hold it. */
export interface SharedEntry {
  readonly informer: SharedInformer<ApiObject>;
  /** Identifies kind and scope. */
  readonly key: string;
  /** Identifies the kind, for `release`. */
  readonly resource: string;
  /** Number of holders; the informer stops when it drops to 0. */
  holds: number;
}

/** The informers of a process, as the views need them. */
export interface EntryTable {
  /** Identifies a kind by its API version and plural. */
  resourceOf(kind: KindName): string;
  /** Returns the running entry for a kind and scope, otherwise a new one. */
  find(kind: Kind<never>, scope: InformerScope): SharedEntry;
  /** Called with an entry returned by `find` after it got another holder. */
  acquired(entry: SharedEntry): void;
  /** Called with an entry after its last holder has released it. */
  unused(entry: SharedEntry): Promise<void>;
}

/**
 * Opens a view on shared informers. It counts as one holder of each informer, however often it acquires it.
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
      // An entry is found by its kind and holds objects of that kind.
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
