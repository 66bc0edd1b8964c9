import type { Commit, Invariant, LiveView } from '../invariants/invariant.ts';
import type { Any, ApiAnswer, ApiRequest } from './api-request.ts';
import type { ControllerModel } from './controller-model.ts';
import { type ModelServer, type ModelStore, storeKey } from './model-store.ts';
import { type ProcessModel, replaced } from './process-model.ts';
import { type ViewEvent, deliver } from './views.ts';
import type { Process, World } from './world.ts';

export interface Violation {
  readonly invariant: string;
  readonly how: string;
}

export interface Served {
  readonly world: World;
  readonly answer: ApiAnswer;
  readonly broken?: Violation;
}

export interface ServingOptions {
  readonly model: ControllerModel;
  readonly server: ModelServer;
  readonly processes: ProcessModel;
  readonly invariants: readonly Invariant[];
  /** How many events may be on their way to an informer. */
  readonly lag: number;
  /** Told which invariants' premises have come up. */
  readonly onReached: (id: string) => void;
}

/** The API server of a world: a request is carried out, watches are told, and invariants judge what was committed. */
export interface Serving {
  serve(world: World, request: ApiRequest, nowMs: number, actor: string, node?: number): Served;
}

export function createServing(options: ServingOptions): Serving {
  const { model, server, processes, invariants, lag, onReached } = options;

  /** The event of a commit set out for every informer. No more than `lag` stay on their way. */
  const tell = (world: World, { resource, before, after }: Commit, nowMs: number): World => ({
    ...world,
    processes: world.processes.map((process) => {
      if (!process.queue.up) return process;
      return model.followed.reduce<Process>((told, { resource: followed, kind, scope }, informer) => {
        const view = told.views[informer];
        if (followed !== resource || !view || view.stalled) return told;
        const event = eventOf(
          before && server.selects(kind, before, scope) ? before : undefined,
          after && server.selects(kind, after, scope) ? after : undefined,
        );
        if (!event) return told;
        const sent = { ...view, pending: [...view.pending, event] };
        if (sent.pending.length <= lag) return { ...told, views: replaced(told.views, informer, sent) };
        return processes.withView(told, informer, deliver(sent), nowMs);
      }, process);
    }),
  });

  const judge = (ghosts: readonly unknown[], commit: Commit, live: LiveView) => {
    let broken: Violation | undefined;
    const next = invariants.map((each, at) => {
      if (!each.onCommit) return ghosts[at];
      const found = each.onCommit(ghosts[at], commit, live);
      if (found.reached) onReached(each.id);
      if (found.broken !== undefined) broken ??= { invariant: each.id, how: found.broken };
      return found.state;
    });
    return { ghosts: next, broken };
  };

  return {
    serve(world, request, nowMs, actor, node) {
      const { store, answer, commits } = server.handle(world.store, request, nowMs);
      let next: World = { ...world, store };
      let broken: Violation | undefined;
      for (const change of commits) {
        const commit: Commit = {
          ...change,
          step: 0,
          atMs: nowMs,
          actor,
          ...(node === undefined ? {} : { node: `${actor}-${node + 1}` }),
        };
        const judged = judge(next.ghosts, commit, liveView(store, nowMs));
        next = { ...tell(next, commit, nowMs), ghosts: judged.ghosts };
        broken ??= judged.broken;
      }
      return { world: next, answer, ...(broken ? { broken } : {}) };
    },
  };
}

function eventOf(before: Any | undefined, after: Any | undefined): ViewEvent | undefined {
  if (after) return { type: 'apply', object: after };
  return before && { type: 'delete', object: before };
}

/** The objects of a store as invariants read them. */
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
