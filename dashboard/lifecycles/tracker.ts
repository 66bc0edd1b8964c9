import {
  type AnyKind,
  type ApiObject,
  type DeepReadonly,
  type Kind,
  type Scheme,
  keyOf,
} from '../../api/kinds/index.ts';
import { type Lifecycle, lifecycles, projected } from '../../api/lifecycles/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { nextSlice } from '../../base/budget/index.ts';
import { type Clock, fromTime } from '../../base/clock/index.ts';
import { machineOf } from '../../machines/lifecycles/index.ts';
import type { Informer, InformerHold, InformerScope, Informers } from '../../runtime/index.ts';
import { isInNamespace } from '../model/key-object.ts';
import type { ResourceName } from '../model/view.ts';
import type { LifecycleDocument, LifecycleObjectsDocument, LifecyclesDocument } from './documents.ts';
import { lastChangeMs } from './last-change.ts';
import { LifecycleTally } from './tally.ts';

export interface LifecycleTrackerOptions {
  readonly clock: Clock;
  readonly scheme: Scheme;
  /** Returns the informers of the process; called at the first read. */
  readonly informers: () => Pick<Informers, 'hold'>;
}

/** Query of a page of objects. */
export interface ObjectsQuery {
  /** Default any state. */
  readonly state: string | undefined;
  /** Default '', any namespace. */
  readonly namespace?: string;
  readonly offset: number;
  readonly limit: number;
}

/**
 * Follows the states of all objects with a lifecycle. It watches nothing before the first read, so that a process
 * without readers caches none of these objects.
 */
export interface LifecycleTracker {
  read(): Promise<LifecyclesDocument>;
  /** Returns objects of one lifecycle; undefined for an unknown lifecycle. */
  objects(id: string, query: ObjectsQuery): Promise<LifecycleObjectsDocument | undefined>;
  /** Releases the informers. */
  stop(): Promise<void>;
}

/** Interval in milliseconds after which states are projected again, because time passes without a write. */
const PROJECT_MS = 5_000;
/** Resolution of creation times. */
const SECOND_MS = 1_000;
/** Number of projections in one turn of the event loop. */
const SLICE = 200;

/** Objects of one kind and scope, and the lifecycles that they have. */
interface Source {
  readonly resource: ResourceName;
  readonly informer: Informer<ApiObject>;
  readonly tallies: readonly LifecycleTally[];
  /** Tallies whose states change with time alone. */
  readonly timed: readonly LifecycleTally[];
}

/** Creates a tracker, which acquires informers at its first read. */
export const createLifecycleTracker = (options: LifecycleTrackerOptions): LifecycleTracker =>
  new Tracker(options);

class Tracker implements LifecycleTracker {
  readonly #options: LifecycleTrackerOptions;
  readonly #tallies = lifecycles.map((each) => new LifecycleTally(each));
  #sources: readonly Source[] = [];
  #hold: InformerHold | undefined;
  #sinceMs = 0;
  #projectedMs = Number.NEGATIVE_INFINITY;
  #projecting: Promise<void> | undefined;

  constructor(options: LifecycleTrackerOptions) {
    this.#options = options;
  }

  async read(): Promise<LifecyclesDocument> {
    await this.#refresh();
    const nowMs = this.#options.clock.now();
    return {
      kind: 'Lifecycles',
      atMs: nowMs,
      sinceMs: this.#sinceMs,
      items: this.#tallies.map((tally) => this.#documentOf(tally, nowMs)),
    };
  }

  async objects(
    id: string,
    { state, namespace = '', offset, limit }: ObjectsQuery,
  ): Promise<LifecycleObjectsDocument | undefined> {
    const tally = this.#tallies.find(({ lifecycle }) => lifecycle.id === id);
    if (tally === undefined) return undefined;
    await this.#refresh();
    const all = tally.objects(state).filter(({ object }) => isInNamespace(object, namespace));
    return {
      kind: 'LifecycleObjects',
      atMs: this.#options.clock.now(),
      total: all.length,
      offset,
      items: all.slice(offset, offset + limit),
    };
  }

  async stop(): Promise<void> {
    await this.#hold?.close();
  }

  #documentOf(tally: LifecycleTally, nowMs: number): LifecycleDocument {
    const sources = this.#sources.filter(({ tallies }) => tallies.includes(tally));
    const problem = sources.map(({ informer }) => informer.problem()).find((each) => each !== undefined);
    return {
      ...tally.document(nowMs),
      machine: machineOf(tally.lifecycle).id,
      resources: sources.map(({ resource }) => resource),
      synced: sources.every(({ informer }) => informer.synced),
      ...(problem === undefined ? {} : { problem }),
    };
  }

  /** Starts to watch at the first call, and projects again what time may have changed. */
  async #refresh(): Promise<void> {
    if (this.#hold === undefined) this.#watch();
    if (this.#options.clock.monotonic() - this.#projectedMs >= PROJECT_MS)
      await (this.#projecting ??= this.#project().finally(() => (this.#projecting = undefined)));
  }

  #watch(): void {
    const { informers, scheme, clock } = this.#options;
    const hold = informers().hold();
    this.#hold = hold;
    this.#sinceMs = clock.now();
    const ofEvery = this.#tallies.filter(({ lifecycle }) => lifecycle.kind === undefined);
    this.#sources = this.#tallies.flatMap((tally) => {
      const kind = storedKind(scheme, tally.lifecycle);
      if (kind === undefined) return [];
      const tallies = [tally, ...ofEvery];
      return {
        resource: nameOf(kind, scheme.vocabulary),
        informer: hold.of(kind, scopeOf(tally.lifecycle, scheme.vocabulary)),
        tallies,
        timed: tallies.filter(({ lifecycle }) => isTimed(lifecycle)),
      };
    });
    for (const source of this.#sources) this.#follow(source);
  }

  #follow({ resource, informer, tallies }: Source): void {
    const { clock } = this.#options;
    informer.subscribe({
      onApply: (object) => {
        const nowMs = clock.now();
        const isOlder = this.#isOlder(object);
        for (const tally of tallies) {
          const seen = {
            resource,
            object: keyOf(object as ApiObject),
            state: this.#stateOf(tally, object, nowMs),
          };
          if (isOlder && !tally.has(seen)) tally.found(seen, lastChangeMs(object, nowMs));
          else tally.changed(seen, nowMs);
        }
      },
      onDelete(object) {
        for (const tally of tallies)
          tally.deleted({ resource, object: keyOf(object as ApiObject) }, clock.now());
      },
    });
  }

  /** True if the object was created before the tracker began to watch, so that its creation is not counted. */
  #isOlder({ metadata }: DeepReadonly<ApiObject>): boolean {
    const createdMs = fromTime(metadata?.creationTimestamp);
    return createdMs === undefined || createdMs + SECOND_MS <= this.#sinceMs;
  }

  #stateOf(
    { lifecycle }: LifecycleTally,
    object: DeepReadonly<ApiObject>,
    nowMs: number,
  ): string | undefined {
    return projected(lifecycle, object, { nowMs, vocabulary: this.#options.scheme.vocabulary });
  }

  async #project(): Promise<void> {
    const { clock } = this.#options;
    this.#projectedMs = clock.monotonic();
    let done = 0;
    for (const { resource, informer, timed } of this.#sources) {
      if (timed.length === 0 || !informer.synced) continue;
      for (const listed of informer.store.list()) {
        if (++done % SLICE === 0) await nextSlice();
        const object = keyOf(listed as ApiObject);
        // The object may have changed since the list was read.
        if (informer.store.get(object) !== listed) continue;
        const nowMs = clock.now();
        for (const tally of timed)
          tally.changed({ resource, object, state: this.#stateOf(tally, listed, nowMs) }, nowMs);
      }
    }
  }
}

const isTimed = ({ transitions }: Lifecycle): boolean => transitions.some(({ by }) => by.includes('clock'));

/** Returns the kind of a lifecycle at its stored version; undefined if the scheme lacks it, or for every kind. */
const storedKind = ({ kinds }: Scheme, { kind }: Lifecycle): Kind<ApiObject> | undefined => {
  const found: AnyKind | undefined = kinds.find(
    ({ group, plural, storage }) =>
      kind !== undefined && group === kind.group && plural === kind.plural && storage === undefined,
  );
  return found as Kind<ApiObject> | undefined;
};

const nameOf = (
  { group, version, plural, namespaced }: Kind<ApiObject>,
  vocabulary: Vocabulary,
): ResourceName => ({
  group: vocabulary.group(group),
  version,
  plural,
  namespaced,
});

/** Returns the scope that the controllers of tokens use too, so that their caches are shared. */
const scopeOf = ({ id }: Lifecycle, { secretTypes }: Vocabulary): InformerScope => {
  if (id === 'bootstrap-token') return { fieldSelector: `type=${secretTypes.bootstrapToken}` };
  return id === 'token-secret' ? { fieldSelector: `type=${secretTypes.serviceAccountToken}` } : {};
};
