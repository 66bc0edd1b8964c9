import type { Commit, Verdict } from '../invariants/invariant.ts';
import type { Any, ApiRequest } from './api-request.ts';
import type { Read } from './controller-model.ts';
import type { ModelStore } from './model-store.ts';
import { textOf } from './text.ts';
import { unversioned } from './versions.ts';
import type { Heard, View } from './views.ts';

/** One judgement of an invariant at a commit. */
export interface Judgement {
  readonly nowMs: number;
  readonly ghost: unknown;
  readonly commit: Commit;
  readonly store: ModelStore;
  readonly verdict: Verdict<unknown>;
}

/** A moment as invariants see it: their states, in their order, and the store. */
export interface Seen {
  readonly nowMs: number;
  readonly ghosts: readonly unknown[];
  readonly store: ModelStore;
}

/** A change that brought up keys by what the caches held. */
export interface Waking {
  readonly informer: number;
  readonly heard: readonly Heard[];
  readonly views: readonly View[];
  readonly nowMs: number;
  readonly reads: readonly Read[];
  readonly keys: readonly string[];
}

/** All that happened in one search, each thing once: what was read, asked, written, remembered and judged. */
export interface Footprint {
  /** Keys that came up. */
  readonly keys: ReadonlySet<string>;
  readonly reads: ReadonlyMap<string, Read>;
  readonly wakings: ReadonlyMap<string, Waking>;
  readonly requests: ReadonlyMap<string, ApiRequest>;
  /** Keys of the store that the workload looked at; undefined where it looked at all of it. */
  readonly wished: ReadonlySet<string | undefined>;
  /** What was looked up in the controller's memory, as `container key`; undefined where a container was looked at as a whole. */
  readonly remembered: ReadonlySet<string | undefined>;
  /** Every state of every object there was, by its key in the store. */
  readonly objects: ReadonlyMap<string, ReadonlySet<Any>>;
  /** By number of the invariant. */
  readonly judgements: readonly (readonly Judgement[])[];
  readonly seen: readonly Seen[];
  readonly resting: readonly Seen[];
}

/** Takes down a footprint. */
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

/** A write that changes nothing makes no version: what says the same as at first was never changed, whatever its version is called. */
const contentOf = (object: Any): string => unversioned(textOf(object));

/** `shared`: objects, as the store has them at first, that are no group's own while they are as they were. */
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

/** What a record has taken down, as plain data. */
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
