import type { ApiObject, Kind, Scheme } from '../../api/kinds/index.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { type Random, createSeededRandom } from '../../base/random/index.ts';
import {
  type ControllerDefinition,
  type Informer,
  type Journal,
  type JournalEvent,
  createInformers,
  createMemoryQueues,
  noEvents,
} from '../../runtime/index.ts';
import { createController } from '../../runtime/controller/run-controller.ts';
import { resourceOf } from '../invariants/invariant.ts';
import { type Any, type ApiAnswer, type ApiRequest, isWrite } from './api-request.ts';
import type { FollowedKind } from './controller-model.ts';
import type { ModelServer, ModelStore, Scope, StoreCommit } from './model-store.ts';
import { createRecordingClient } from './recording-client.ts';
import type { Prelude } from './scenario.ts';
import type { Heard } from './views.ts';
import { type Cut, createHistory } from './watched-history.fixture.ts';

export interface RealProcessOptions {
  readonly definition: ControllerDefinition;
  readonly scheme: Scheme;
  /** Server whose selection of objects decides the events of a watch. */
  readonly server: Pick<ModelServer, 'selects'>;
  readonly startMs: number;
  readonly objects: ModelStore['objects'];
  /** Answers the requests of the set-up. */
  readonly answer: (request: ApiRequest) => ApiAnswer;
  readonly prelude: Prelude | undefined;
}

/** A key that a worker took, with the time in milliseconds since the epoch. */
interface Taken {
  readonly key: string;
  readonly atMs: number;
}

/** A controller in the real runtime, whose server and clock move only by calls. */
export interface RealProcess {
  nowMs(): number;
  /** Lets `ms` milliseconds pass. Returns the keys that workers took. */
  run(ms: number): Promise<readonly Taken[]>;
  /** Returns how often a key was requeued soon: after a failure, or by a reconcile that asked for it. */
  requeues(key: string): number;
  /** Returns the keys whose last reconcile asked for another one, or failed. */
  unsettled(): readonly string[];
  /** Adds commits to the history that watches receive. */
  feed(commits: readonly StoreCommit[], objects: ModelStore['objects']): void;
  /** Lets the watch of an informer receive its next event. */
  deliver(followed: FollowedKind): void;
  cut(followed: FollowedKind, how: Cut): void;
  expire(followed: FollowedKind): void;
  /** Requests that wait for a response. */
  requests(): readonly ApiRequest[];
  /** Answers a request. Returns false if no such request waits. */
  answer(request: ApiRequest, answer: ApiAnswer): boolean;
  cached(followed: Pick<FollowedKind, 'kind' | 'scope'>): readonly Any[];
  /** Returns what the informer has notified its handlers of since the last call. */
  heard(followed: Pick<FollowedKind, 'kind' | 'scope'>): readonly Heard[];
  resync(): void;
  /** True if no key is ready, active or delayed by less than a minute. */
  isIdle(): boolean;
  stop(): Promise<void>;
}

/** Random source that restarts for each effect, as that of the model does. */
function createRepeatedRandom(): Random & { repeat(): void } {
  let random = createSeededRandom(1);
  return {
    next: () => random.next(),
    int: (below) => random.int(below),
    bytes: (length) => random.bytes(length),
    uuid: () => random.uuid(),
    repeat: () => void (random = createSeededRandom(1)),
  };
}

/** Creates a journal that only passes on what is recorded. */
const journalTo = (record: (event: JournalEvent) => void): Journal => ({
  enabled: true,
  size: 0,
  bytes: 0,
  record,
  read: () => [],
  subscribe: () => () => {},
  around: () => [],
  finished: () => {},
});

/** Starts the controller. Its caches are filled and its workers have taken their first keys afterwards. */
export async function createRealProcess(options: RealProcessOptions): Promise<RealProcess> {
  const { definition, scheme, prelude } = options;
  const clock = createSimulatedClock(options.startMs);
  const history = createHistory(options);
  const random = createRepeatedRandom();
  const environment = { clock, random: createSeededRandom(1), log: silentLogger };
  const informers = createInformers({
    client: history.client,
    ...environment,
    reflector: { baseBackoffMs: 1, maxBackoffMs: 4, quietServerMs: NEVER_MS },
  });
  const waiting: { readonly request: ApiRequest; readonly resolve: (answer: ApiAnswer) => void }[] = [];
  let isSetUp = false;
  const ask = (request: ApiRequest): Promise<ApiAnswer> => {
    if (!isSetUp) return Promise.resolve(options.answer(request));
    return new Promise((resolve) =>
      waiting.push({ request: JSON.parse(JSON.stringify(request)) as ApiRequest, resolve }),
    );
  };
  // An effect that has failed does not wait for its other reads, and the model forgets them.
  const forgetReads = (): void => {
    for (const each of waiting.filter(({ request }) => !isWrite(request)))
      waiting.splice(waiting.indexOf(each), 1);
  };
  const taken: Taken[] = [];
  const requeues = new Map<string, number>();
  const unsettled = new Set<string>();
  const controller = createController(
    prepared(definition, prelude, random, () => (isSetUp = true), forgetReads),
    {
      client: createRecordingClient({ scheme, ask, serverClock: clock, conditions: false }),
      scheme,
      informers,
      queues: createMemoryQueues(environment),
      events: noEvents,
      journal: journalTo((event) => {
        if (event.kind === 'reconcile.started') taken.push({ key: event.key, atMs: clock.now() });
        if (event.kind === 'reconcile.finished' && event.outcome === 'settled') unsettled.delete(event.key);
        else if (event.kind === 'reconcile.finished') unsettled.add(event.key);
        if (event.kind === 'reconcile.finished' && event.outcome !== 'settled')
          requeues.set(event.key, (requeues.get(event.key) ?? 0) + 1);
      }),
      clock,
      random,
      log: silentLogger,
    },
  );
  const listener = createListeners();
  await informers.start();
  void controller.start();
  return {
    nowMs: () => clock.now(),
    async run(ms) {
      await clock.advance(ms);
      // Watches and effects resume over several turns of the event loop.
      for (let turn = 0; turn < TURNS; turn++) await clock.advance(0);
      return taken.splice(0);
    },
    requeues: (key) => requeues.get(key) ?? 0,
    unsettled: () => [...unsettled],
    feed: history.feed,
    deliver: history.deliver,
    cut: history.cut,
    expire: history.expire,
    requests: () => waiting.map(({ request }) => request),
    answer(request, answer) {
      const text = JSON.stringify(request);
      const nth = waiting.findIndex((each) => JSON.stringify(each.request) === text);
      const [found] = nth < 0 ? [] : waiting.splice(nth, 1);
      found?.resolve(answer);
      return found !== undefined;
    },
    cached({ kind, scope }) {
      const informer = informerOf(informers.all(), kind, scope);
      return informer?.synced ? informer.store.list() : [];
    },
    heard: ({ kind, scope }) => listener(informerOf(informers.all(), kind, scope)).splice(0),
    resync: () => controller.enqueueAll(),
    isIdle() {
      const { ready, active, delayed } = controller.stats();
      return ready + active + delayed === 0;
    },
    async stop() {
      let isStopped = false;
      const stopped = controller.stop().finally(() => (isStopped = true));
      // A reconcile may send further requests after a lost one.
      while (!isStopped) {
        for (const { resolve } of waiting.splice(0)) resolve({ lost: 'ERR_CONNECTION' });
        await clock.advance(100);
      }
      await stopped;
      history.close();
      await informers.stop();
    },
  };
}

/** Returns a function that records the notifications of an informer, from its first call on. */
function createListeners(): (informer: Informer<ApiObject> | undefined) => Heard[] {
  const known = new Map<Informer<ApiObject>, Heard[]>();
  return (informer) => {
    if (!informer) return [];
    const found = known.get(informer);
    if (found) return found;
    const heard: Heard[] = [];
    known.set(informer, heard);
    informer.subscribe({
      onApply: (object, previous) => heard.push({ type: 'apply', object, previous }),
      onDelete: (object) => heard.push({ type: 'delete', object }),
    });
    return heard;
  };
}

const NEVER_MS = 2 ** 40;
const TURNS = 3;

/** Returns the informer of a kind. A test has one informer for each kind and scope. */
function informerOf(
  all: readonly Informer<ApiObject>[],
  kind: Kind<ApiObject>,
  scope: Scope,
): Informer<ApiObject> | undefined {
  const named = all as readonly (Informer<ApiObject> & { readonly name?: string })[];
  const own = named.filter((each) => resourceOf(each.kind) === resourceOf(kind));
  const { namespace, labelSelector, fieldSelector } = scope;
  const parts = [
    ...(namespace === undefined ? [] : [`in ${namespace}`]),
    ...(labelSelector === undefined ? [] : [`with labels ${labelSelector}`]),
    ...(fieldSelector === undefined ? [] : [`with fields ${fieldSelector}`]),
  ].join(' ');
  return own.find(
    ({ name = '' }) => name.slice(name.indexOf(kind.plural)).split(' ').slice(1).join(' ') === parts,
  );
}

/** Returns the definition whose effects restart the random source, after the prelude has run. */
const prepared = (
  definition: ControllerDefinition,
  prelude: Prelude | undefined,
  random: { repeat(): void },
  onSetUp: () => void,
  onEnd: () => void,
): ControllerDefinition => ({
  ...definition,
  async effects(context) {
    const made = await definition.effects(context);
    if (prelude) {
      const watched = await definition.watches(context);
      await Promise.all(watched.map(({ kind, scope }) => context.informers.of(kind, scope).ready()));
      await made[prelude.effect]?.(prelude.input as never, context.signal);
    }
    onSetUp();
    return Object.fromEntries(
      Object.entries(made).map(([name, effect]) => [
        name,
        async (input: never, signal: AbortSignal) => {
          random.repeat();
          try {
            return await effect(input, signal);
          } finally {
            onEnd();
          }
        },
      ]),
    );
  },
});
