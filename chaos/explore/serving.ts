import type { Commit, Invariant, LiveView } from '../invariants/invariant.ts';
import { type Any, type ApiAnswer, type ApiRequest, isWrite } from './api-request.ts';
import type { ControllerModel } from './controller-model.ts';
import type { FootprintRecord } from './footprint.ts';
import { createByTime, createMemo } from './memo.ts';
import { type ModelServer, type ModelStore, storeKey } from './model-store.ts';
import { replaced } from './caches.ts';
import type { ProcessModel } from './process-model.ts';
import { textOf } from './text.ts';
import { type ViewEvent, deliver, send } from './views.ts';
import { type Process, withZombies, type ModelWorld } from './world.ts';

export interface Violation {
  readonly invariant: string;
  readonly how: string;
}

export interface Served {
  readonly world: ModelWorld;
  /** Response. It is the same object for the same request on the same store. */
  readonly answer: ApiAnswer;
  readonly broken?: Violation;
}

export interface ServingOptions {
  readonly model: ControllerModel;
  readonly server: ModelServer;
  readonly processes: ProcessModel;
  readonly invariants: readonly Invariant[];
  /** Maximum number of events in flight to one informer. */
  readonly lag: number;
  /** Called with the id of each invariant whose premise is reached. */
  readonly onReached: (id: string) => void;
  readonly footprint?: FootprintRecord | undefined;
}

/**
 * The API server of a world. It executes requests, sends events to watches and evaluates invariants on
 * commits.
 */
export interface Serving {
  serve(world: ModelWorld, request: ApiRequest, nowMs: number, actor: string): Served;
  /** Adds requests in flight whose senders no longer wait for a response. */
  withZombies(world: ModelWorld, requests: readonly ApiRequest[]): ModelWorld;
}

interface Handled {
  readonly store: ModelStore;
  readonly answer: ApiAnswer;
  readonly commits: readonly Commit[];
}

interface Judged {
  readonly ghosts: readonly unknown[];
  readonly broken: Violation | undefined;
}

export function createServing(options: ServingOptions): Serving {
  const { server, footprint } = options;
  const notify = createNotifier(options);
  const judge = createJudge(options);
  const memos = createByTime(() => ({
    handled: createMemo<ApiRequest, Handled>(),
    judged: createMemo<readonly unknown[], Judged>(),
    told: createMemo<Process, Process>(),
  }));
  const stillOpen = createMemo<readonly ApiRequest[], readonly ApiRequest[]>();
  const living = (zombies: readonly ApiRequest[], store: ModelStore): readonly ApiRequest[] =>
    stillOpen(zombies, store, () => {
      const left = zombies.filter((request) => server.mayCommit(store, request));
      return left.length === zombies.length ? zombies : left;
    });

  return {
    serve(world, request, nowMs, actor) {
      const { handled, judged, told } = memos(nowMs);
      const done = handled(request, world.store, () => {
        const { store, answer, commits } = server.handle(world.store, request, nowMs);
        footprint?.request(request);
        footprint?.store(store);
        return {
          store,
          answer,
          commits: commits.map((change) => ({ ...change, step: 0, atMs: nowMs, actor })),
        };
      });
      const { store, answer, commits } = done;
      if (commits.length === 0) return { world, answer };
      const { ghosts, broken } = judged(world.ghosts, done, () => judge(world.ghosts, done, nowMs));
      const next: ModelWorld = {
        script: world.script,
        store,
        zombies: world.zombies.length === 0 ? world.zombies : living(world.zombies, store),
        ghosts,
        processes: world.processes.map((process) =>
          told(process, done, () => notify(process, commits, nowMs)),
        ),
      };
      return { world: next, answer, ...(broken ? { broken } : {}) };
    },
    withZombies(world, requests) {
      const sent = requests.filter((request) => isWrite(request) && server.mayCommit(world.store, request));
      return sent.length === 0 ? world : withZombies(world, [...world.zombies, ...sent].sort(byText));
    },
  };
}

const byText = (a: ApiRequest, b: ApiRequest): number => (textOf(a) < textOf(b) ? -1 : 1);

/**
 * Creates the function that sends the events of commits to the informers of a process. An informer with more
 * than `lag` pending events receives the oldest one.
 */
function createNotifier({ model, server, processes, lag }: ServingOptions) {
  const tellOne = (process: Process, { resource, before, after }: Commit, nowMs: number): Process =>
    model.followed.reduce<Process>((told, { resource: followed, kind, scope }, informer) => {
      const view = told.views[informer];
      if (followed !== resource || !view || view.stalled) return told;
      const event = eventOf(
        before && server.selects(kind, before, scope) ? before : undefined,
        after && server.selects(kind, after, scope) ? after : undefined,
      );
      if (!event) return told;
      const sent = send(view, event);
      if (sent.pending.length <= lag) return { ...told, views: replaced(told.views, informer, sent) };
      return processes.withView(told, informer, deliver(sent), nowMs);
    }, process);
  return (process: Process, commits: readonly Commit[], nowMs: number): Process =>
    process.queue.up
      ? commits.reduce<Process>((told, commit) => tellOne(told, commit, nowMs), process)
      : process;
}

function createJudge({ invariants, onReached, footprint }: ServingOptions) {
  return (before: readonly unknown[], { store, commits }: Handled, nowMs: number): Judged => {
    const live = liveView(store, nowMs);
    let broken: Violation | undefined;
    const ghosts = commits.reduce<readonly unknown[]>(
      (known, commit) =>
        invariants.map((each, at) => {
          if (!each.onCommit) return known[at];
          const found = each.onCommit(known[at], commit, live);
          footprint?.judge(at, { nowMs, ghost: known[at], commit, store, verdict: found });
          if (found.reached) onReached(each.id);
          if (found.broken !== undefined) broken ??= { invariant: each.id, how: found.broken };
          return found.state;
        }),
      before,
    );
    return { ghosts, broken };
  };
}

function eventOf(before: Any | undefined, after: Any | undefined): ViewEvent | undefined {
  if (after) return { type: 'apply', object: after };
  return before && { type: 'delete', object: before };
}

/** Returns a live view of a store for invariants. */
export const liveView = ({ objects }: ModelStore, nowMs: number): LiveView => ({
  nowMs,
  get: (resource, namespace, name) => objects[storeKey(resource, namespace, name)],
  list: (resource, namespace) =>
    Object.entries(objects)
      .filter(
        ([key, object]) =>
          key.startsWith(`${resource} `) &&
          (namespace === undefined || object.metadata?.namespace === namespace),
      )
      .map(([, object]) => object),
});
