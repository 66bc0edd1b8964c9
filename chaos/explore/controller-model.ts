import { type ApiObject, type DeepReadonly, type Kind, type Scheme, keyOf } from '../../api/kinds/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import { silentLogger } from '../../base/log/index.ts';
import { offMetrics } from '../../base/metrics/index.ts';
import { type Random, createSeededRandom } from '../../base/random/index.ts';
import {
  type ControllerContext,
  type ControllerDefinition,
  type Effects,
  type Informer,
  type InformerHandler,
  type Informers,
  type Watch,
  noEvents,
} from '../../runtime/index.ts';
import { resourceOf } from '../invariants/invariant.ts';
import type { Any, ApiAnswer, ApiRequest } from './api-request.ts';
import { type MachineTable, createMachineTable } from './machine-table.ts';
import { MONOTONIC_NOW } from './elapsed.ts';
import { type Memory, type OnTouch, withMemory } from './memory.ts';
import type { Scope } from './model-store.ts';
import { createRecordingClient } from './recording-client.ts';
import type { Heard } from './views.ts';
import type { VisitRecord } from './visits.ts';
import type { Prelude } from './scenario.ts';

/** One read of local state of the process by code of the controller. */
export type Read =
  | { readonly of: 'get'; readonly informer: number; readonly key: string }
  | { readonly of: 'list'; readonly informer: number }
  | { readonly of: 'index'; readonly informer: number; readonly index: string; readonly value: string }
  | { readonly of: 'now' };

/** Environment of the controller's running code, which executes its reads and requests. */
export interface Session {
  read(query: Read): unknown;
  ask(request: ApiRequest): Promise<ApiAnswer>;
  enqueue(key: string, afterMs: number): void;
  /** Called before the code reads or changes the controller's memory. */
  touch(): void;
}

export interface FollowedKind {
  readonly kind: Kind<ApiObject>;
  readonly resource: string;
  readonly scope: Scope;
}

/** A controller's parts, ready to run step by step in any number of simulated processes. */
export interface ControllerModel {
  readonly name: string;
  readonly machine: MachineTable;
  readonly effects: Effects;
  readonly memory: Memory;
  /**
   * Objects that the explorer passes to the controller. Their state does not belong to the controller's
   * memory.
   */
  readonly infrastructure: readonly unknown[];
  /** Resync period in milliseconds; at most 0 for no resync. */
  readonly resyncMs: number;
  /** Kinds and scopes of the controller's informers, in the order in which they were requested. */
  readonly followed: readonly FollowedKind[];
  /** Returns the values of an informer's index for an object. */
  indexValues(informer: number, index: string, object: Any): readonly string[];
  /** Returns the keys that a change enqueues. */
  keysOf(informer: number, heard: Heard): readonly string[];
  /** True if the controller subscribed a handler to the informer in addition to its watches. */
  isSubscribed(informer: number): boolean;
  /** Runs the subscribed handlers as the informer would. They may change the controller's memory. */
  tell(informer: number, heard: Heard): void;
  /** Routes every read and request of the controller to `session`, until the returned function is called. */
  enter(session: Session): () => void;
}

export interface ControllerModelOptions {
  readonly definition: ControllerDefinition;
  readonly scheme: Scheme;
  /** Returns responses to requests during set-up, when no process exists. */
  readonly answer: (request: ApiRequest) => ApiAnswer;
  /** Returns the cached object with the key `namespace/name` during set-up; default undefined. */
  readonly cached?: (resource: string, key: string) => Any | undefined;
  /** Effect that runs once after set-up. */
  readonly prelude?: Prelude;
  /** Called when an entry of the controller's memory is read or changed. */
  readonly onTouch: OnTouch;
  /** Record of the states and transitions of the machine that the search visits. */
  readonly visits: VisitRecord;
  /** True if the server checks conditions of writes on other objects. */
  readonly conditions: boolean;
}

/** Default resync period of the runtime in milliseconds. */
const DEFAULT_RESYNC_MS = 10 * 3_600_000;

export async function createControllerModel({
  definition,
  scheme,
  answer,
  cached,
  prelude,
  onTouch,
  visits,
  conditions,
}: ControllerModelOptions): Promise<ControllerModel> {
  const setup: Session = {
    read(query) {
      if (query.of === 'list' || query.of === 'index') return [];
      if (query.of === 'now') return 0;
      return cached?.(informers.followed[query.informer]?.resource ?? '', query.key);
    },
    ask: async (request) => answer(request),
    enqueue: () => {},
    touch: () => {},
  };
  let session = setup;
  const informers = createRecordedInformers((query) => session.read(query));
  const later: Watch[] = [];
  const clock = clockOf(() => session);
  const random = createRepeatedRandom();
  const context: ControllerContext = {
    client: createRecordingClient({
      scheme,
      ask: (request) => session.ask(request),
      serverClock: clock,
      conditions,
    }),
    scheme,
    informers: informers.informers,
    clock,
    random,
    log: silentLogger,
    events: noEvents,
    metrics: offMetrics,
    enqueue: (key, afterMs = 0) => session.enqueue(key, afterMs),
    follow(watch) {
      later.push(watch);
      informers.informers.of(watch.kind, watch.scope);
      return () => {};
    },
    signal: new AbortController().signal,
  };
  const make = async (): Promise<Effects> => {
    const made = await definition.effects(context);
    if (prelude) await made[prelude.effect]?.(prelude.input as never, context.signal);
    return made;
  };
  const { made: effects, memory } = await withMemory(make, (container, key) => {
    onTouch(container, key);
    session.touch();
  });
  const watches = [...(await definition.watches(context)), ...later].map((watch) => ({
    watch,
    informer: informers.indexOf(watch.kind, watch.scope),
  }));
  return {
    name: definition.name,
    machine: createMachineTable(definition.machine, visits),
    resyncMs: definition.resyncMs ?? DEFAULT_RESYNC_MS,
    effects,
    memory,
    infrastructure: [context, ...Object.values(context), definition],
    followed: informers.followed,
    indexValues: informers.indexValues,
    keysOf: (informer, heard) =>
      watches.flatMap(({ watch, informer: watched }) =>
        watched === informer ? keysOfWatch(watch, heard) : [],
      ),
    isSubscribed: informers.isSubscribed,
    tell: informers.tell,
    enter(next) {
      const before = session;
      session = next;
      random.repeat();
      return () => {
        session = before;
      };
    },
  };
}

/**
 * Creates a random source that restarts for each segment of an effect, so that a replayed effect draws the
 * same numbers.
 */
function createRepeatedRandom(): Random & { repeat(): void } {
  let random = createSeededRandom(1);
  return {
    next: () => random.next(),
    int: (below) => random.int(below),
    bytes: (length) => random.bytes(length),
    uuid: () => random.uuid(),
    repeat() {
      random = createSeededRandom(1);
    },
  };
}

function keysOfWatch({ keys, when }: Watch, heard: Heard): readonly string[] {
  const previous = heard.type === 'apply' ? heard.previous : undefined;
  if (when && !when(heard.object, previous)) return [];
  return keys ? keys(heard.object, previous) : [keyOf(heard.object as Parameters<typeof keyOf>[0])];
}

/**
 * Creates a clock that stands still while controller code runs; `aged` ages the memory between runs. Timers
 * never fire.
 */
const clockOf = (session: () => Session): Clock => ({
  now: () => session().read({ of: 'now' }) as number,
  monotonic: () => MONOTONIC_NOW,
  setTimeout: () => ({ dueMs: Infinity }),
  clearTimeout: () => {},
});

type IndexValues = (object: Any) => readonly string[];

function createRecordedInformers(read: (query: Read) => unknown) {
  const followed: FollowedKind[] = [];
  const made: Informer<ApiObject>[] = [];
  const indexes: Map<string, IndexValues>[] = [];
  const handlers: InformerHandler<ApiObject>[][] = [];

  const indexOf = (kind: Pick<Kind<never>, 'group' | 'plural'>, scope: Scope = {}): number => {
    const text = JSON.stringify([resourceOf(kind), scope]);
    const found = followed.findIndex((each) => JSON.stringify([each.resource, each.scope]) === text);
    if (found >= 0) return found;
    followed.push({ kind: kind as Kind<ApiObject>, resource: resourceOf(kind), scope });
    indexes.push(new Map());
    handlers.push([]);
    made.push(createInformer(kind as Kind<ApiObject>, followed.length - 1));
    return followed.length - 1;
  };
  const createInformer = (kind: Kind<ApiObject>, informer: number): Informer<ApiObject> => ({
    kind,
    store: {
      get: (key) => read({ of: 'get', informer, key }) as Any | undefined,
      list: () => read({ of: 'list', informer }) as readonly Any[],
      byIndex: (index, value) => read({ of: 'index', informer, index, value }) as readonly Any[],
      get size() {
        return (read({ of: 'list', informer }) as readonly Any[]).length;
      },
    },
    subscribe(handler) {
      handlers[informer]?.push(handler);
      return () => {
        handlers[informer] = (handlers[informer] ?? []).filter((each) => each !== handler);
      };
    },
    index: (name, values) => void indexes[informer]?.set(name, values),
    ready: async () => {},
    synced: true,
    silentMs: () => 0,
    served: async () => true,
    problem: () => undefined,
  });
  const informers: Informers = {
    // An informer contains objects of one kind, so the kind determines the type of the informer.
    of: <T extends ApiObject>(kind: Kind<T>, scope?: Scope) =>
      made[indexOf(kind, scope)] as unknown as Informer<T>,
    release: async () => {},
    hold: () => ({ ...informers, held: () => [], close: async () => {} }),
  };
  return {
    informers,
    followed,
    indexOf,
    isSubscribed: (informer: number): boolean => (handlers[informer]?.length ?? 0) > 0,
    tell(informer: number, heard: Heard): void {
      for (const handler of handlers[informer] ?? [])
        if (heard.type === 'delete') handler.onDelete(heard.object);
        else handler.onApply(heard.object, heard.previous);
    },
    indexValues: (informer: number, index: string, object: DeepReadonly<ApiObject>): readonly string[] => {
      if (index === 'namespace') return [object.metadata?.namespace ?? ''];
      const values = indexes[informer]?.get(index);
      if (!values) throw new Error(`no index ${JSON.stringify(index)} was declared`);
      return values(object);
    },
  };
}
