import type { ControllerModel } from './controller-model.ts';
import type { EffectTable } from './effect-table.ts';
import type { FaultKind } from './faults.ts';
import { type ModelServer, type ModelStore, emptyStore, storeKey, uidOf } from './model-store.ts';
import { createProcessModel, soonDue } from './process-model.ts';
import { createProcessSteps, createRestarts } from './process-steps.ts';
import { createRequestSteps } from './request-steps.ts';
import { type Violation, createServing, liveView } from './serving.ts';
import type { Local, Moment, Step } from './step.ts';
import type { Planted, Scenario, World } from './world.ts';
import { createWorldSteps } from './world-steps.ts';

export interface StepsOptions {
  readonly scenario: Scenario;
  readonly model: ControllerModel;
  readonly effects: EffectTable;
  readonly server: ModelServer;
  readonly lag: number;
  readonly faults: readonly FaultKind[];
}

export interface Steps {
  initial(leaders: number, faults: number): World;
  /** All that may happen next. Throws `Unknown` where an effect has to be run first. */
  from(world: World): Step[];
  /** Nothing is under way and no fault lasts; a timer may run. */
  isIdle(world: World): boolean;
  /** Idle, and no timer will end soon. */
  isAtRest(world: World): boolean;
  /** The first invariant that does not hold in a world at rest. */
  unmet(world: World): Violation | undefined;
  /** Which invariants had their premise come up so far. */
  readonly reached: ReadonlySet<string>;
}

export function createSteps(options: StepsOptions): Steps {
  const { scenario, model, effects, server, lag, faults } = options;
  const { invariants, instants } = scenario;
  const reached = new Set<string>();
  const processes = createProcessModel({ model, effects, server, lastMs: instants.at(-1) ?? 0 });
  const { serve } = createServing({
    model,
    server,
    processes,
    invariants,
    lag,
    onReached: (id) => reached.add(id),
  });
  const nowOf = ({ script }: World): number => instants[script.at] ?? 0;

  const making = { scenario, model, processes, serve };
  const ofRunning = [createRequestSteps(making), ...createProcessSteps(making)];
  const restarts = createRestarts(making);
  const ofWorld = createWorldSteps(making);

  const isIdle = (world: World): boolean =>
    world.processes.every(
      ({ queue, passes: running, views: all }) =>
        queue.up &&
        !queue.flushed &&
        queue.ready.length === 0 &&
        running.length === 0 &&
        all.every(({ pending, stalled }) => pending.length === 0 && !stalled),
    );

  return {
    initial(leaders, budget) {
      const store = scenario.objects.reduce(planted, emptyStore);
      return {
        script: { at: 0, faults: budget, taken: {} },
        store,
        zombies: [],
        ghosts: invariants.map((each) => each.initial()),
        processes: Array.from({ length: leaders }, () => processes.started(store, instants[0] ?? 0)),
      };
    },
    from(world) {
      const moment: Moment = {
        world,
        nowMs: nowOf(world),
        spent: { ...world, script: { ...world.script, faults: world.script.faults - 1 } },
        may: (fault) => world.script.faults > 0 && faults.includes(fault),
      };
      const steps = world.processes.flatMap((process, node) => {
        const who = world.processes.length > 1 ? `${model.name}-${node + 1}` : model.name;
        const local: Local = { ...moment, node, who, process };
        return process.queue.up ? ofRunning.flatMap((kind) => kind(local)) : restarts(local);
      });
      return [...steps, ...ofWorld.flatMap((kind) => kind(moment))];
    },
    isIdle,
    isAtRest: (world) =>
      isIdle(world) && world.processes.every(({ queue }) => soonDue(queue, nowOf(world)).length === 0),
    unmet(world) {
      const live = liveView(world.store, nowOf(world));
      for (const [at, each] of invariants.entries()) {
        const found = each.atRest?.(world.ghosts[at], live);
        if (found?.reached) reached.add(each.id);
        if (found?.broken !== undefined) return { invariant: each.id, how: found.broken };
      }
      return undefined;
    },
    reached,
  };
}

function planted(store: ModelStore, { resource, object }: Planted): ModelStore {
  const { namespace = '', name = '' } = object.metadata ?? {};
  const key = storeKey(resource, namespace, name);
  const uid = uidOf(resource, name, 1);
  const metadata = { ...object.metadata, uid, resourceVersion: `${uid}@0` };
  return {
    objects: { ...store.objects, [key]: { ...object, metadata } },
    births: { ...store.births, [key]: 1 },
  };
}
