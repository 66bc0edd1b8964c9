import type { Commit, InvariantResult } from '../invariants/invariant.ts';
import type { Any, ApiRequest } from './api-request.ts';
import type { Read } from './controller-model.ts';
import type { ModelStore } from './model-store.ts';
import { textOf } from './text.ts';
import { unversioned } from './versions.ts';
import type { Heard, View } from './views.ts';

/** One evaluation of an invariant on a commit. */
export interface Judgement {
  readonly nowMs: number;
  readonly ghost: unknown;
  readonly commit: Commit;
  readonly store: ModelStore;
  readonly verdict: InvariantResult<unknown>;
}

/** Input of the invariants at one step: the state of each invariant in order, and the store. */
export interface Seen {
  readonly nowMs: number;
  readonly ghosts: readonly unknown[];
  readonly store: ModelStore;
}

/** A change whose enqueued keys depended on the contents of caches. */
export interface Waking {
  readonly informer: number;
  readonly heard: readonly Heard[];
  readonly views: readonly View[];
  readonly nowMs: number;
  readonly reads: readonly Read[];
  readonly keys: readonly string[];
}

/** Everything that one search read, requested, wrote, remembered and evaluated. Each item occurs once. */
export interface Footprint {
  /** Keys that were enqueued. */
  readonly keys: ReadonlySet<string>;
  readonly reads: ReadonlyMap<string, Read>;
  readonly wakings: ReadonlyMap<string, Waking>;
  readonly requests: ReadonlyMap<string, ApiRequest>;
  /** Store keys that user actions read. The member undefined means that an action read all keys. */
  readonly wished: ReadonlySet<string | undefined>;
  /**
   * Memory entries that were accessed, as `container key`. The member undefined means that a whole container
   * was accessed.
   */
  readonly remembered: ReadonlySet<string | undefined>;
  /** Every state of every object, by store key. */
  readonly objects: ReadonlyMap<string, ReadonlySet<Any>>;
  /** Evaluations by index of the invariant. */
  readonly judgements: readonly (readonly Judgement[])[];
  readonly seen: readonly Seen[];
  readonly resting: readonly Seen[];
}

/** Footprint to which items are added during a search. */
export interface FootprintRecord extends Footprint {
  key(key: string): void;
  read(read: Read): void;
  wake(waking: Waking): void;
  request(request: ApiRequest): void;
  wish(key: string | undefined): void;
  remember(container: number, key: string | undefined): void;
  store(store: ModelStore): void;
  judge(invariant: number, judgement: Judgement): void;
  see(seen: Seen): void;
  rest(seen: Seen): void;
}

/** Returns the content without versions, because a write without changes creates no version. */
const contentOf = (object: Any): string => unversioned(textOf(object));

/** Creates an empty record. An object in `shared` belongs to no group unless it changes. */
export function createFootprint(invariants: number, shared: ModelStore['objects'] = {}): FootprintRecord {
  const keys = new Set<string>();
  const reads = new Map<string, Read>();
  const wakings = new Map<string, Waking>();
  const requests = new Map<string, ApiRequest>();
  const wished = new Set<string | undefined>();
  const remembered = new Set<string | undefined>();
  const objects = new Map<string, Set<Any>>();
  const judgements = Array.from({ length: invariants }, (): Judgement[] => []);
  const judged = new WeakMap<Commit, Set<string>>();
  const seen: Seen[] = [];
  const resting: Seen[] = [];
  return {
    keys,
    reads,
    wakings,
    requests,
    wished,
    remembered,
    objects,
    judgements,
    seen,
    resting,
    key: (key) => void keys.add(key),
    read: (read) => void reads.set(textOf(read), read),
    wake(waking) {
      const { informer, heard, views, nowMs } = waking;
      const objects = views.map((view) => textOf(view.objects));
      wakings.set([informer, textOf(heard), nowMs, ...objects].join(' '), waking);
    },
    request: (request) => void requests.set(textOf(request), request),
    wish: (key) => void wished.add(key),
    remember: (container, key) => void remembered.add(key === undefined ? key : `${container} ${key}`),
    store(store) {
      for (const [key, object] of Object.entries(store.objects)) {
        if (shared[key] !== undefined && contentOf(shared[key]) === contentOf(object)) continue;
        const known = objects.get(key);
        if (known) known.add(object);
        else objects.set(key, new Set([object]));
      }
    },
    judge(invariant, judgement) {
      const key = `${invariant} ${judgement.nowMs} ${textOf(judgement.ghost)}`;
      let known = judged.get(judgement.commit);
      if (!known) judged.set(judgement.commit, (known = new Set()));
      if (known.has(key)) return;
      known.add(key);
      judgements[invariant]?.push(judgement);
    },
    see: (each) => void seen.push(each),
    rest: (each) => void resting.push(each),
  };
}

/** Returns the recorded footprint as plain data. */
export const takenDown = ({
  keys,
  reads,
  wakings,
  requests,
  wished,
  remembered,
  objects,
  judgements,
  seen,
  resting,
}: FootprintRecord): Footprint => ({
  keys,
  reads,
  wakings,
  requests,
  wished,
  remembered,
  objects,
  judgements,
  seen,
  resting,
});
