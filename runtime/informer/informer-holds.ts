import type { ApiObject, Kind } from '../../api/kinds/kind.ts';
import type { Informer, InformerHold, InformerScope } from './informer.ts';
import type { SharedInformer } from './shared-informer.ts';

/** Identifies a kind whatever its objects are. */
export type KindName = Pick<Kind, 'group' | 'version' | 'plural'>;

/** An informer and the number of views that hold it. */
export interface SharedEntry {
  readonly informer: SharedInformer<ApiObject>;
  /** Identifies kind and scope. */
  readonly key: string;
  /** Identifies the kind, for `release`. */
  readonly resource: string;
  /** How often it is held; it stops when this drops to 0. */
  holds: number;
}

/** The informers of a process, as the views on them need it. */
export interface EntryTable {
  resourceOf(kind: KindName): string;
  /** The running entry that serves a kind and scope, else a new one. */
  find(kind: Kind<never>, scope: InformerScope): SharedEntry;
  /** Called with an entry of `find` that gets another holder. */
  acquired(entry: SharedEntry): void;
  /** Called with an entry that has lost its last holder. */
  unused(entry: SharedEntry): Promise<void>;
}

/** Opens a view on shared informers. It counts as one holder of each informer, however often that is asked for. */
export function openHold(table: EntryTable): InformerHold {
  const held = new Set<SharedEntry>();
  let isClosed = false;
  const letGo = async (entries: readonly SharedEntry[]): Promise<void> => {
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
      // An entry is found by its kind, and holds objects of that kind.
      return entry.informer as unknown as Informer<T>;
    },
    release(kind) {
      const resource = table.resourceOf(kind);
      return letGo([...held].filter((entry) => entry.resource === resource));
    },
    hold: () => openHold(table),
    held: () => [...held].map(({ informer }) => informer),
    close() {
      isClosed = true;
      return letGo([...held]);
    },
  };
}
