import type { ApiRequest } from './api-request.ts';
import type { ControllerModel } from './controller-model.ts';
import { type EffectTable, Unknown, allOf } from './effect-table.ts';
import type { FaultKind } from './faults.ts';
import { type ModelServer, type ModelStore, emptyStore, storeKey, uidOf } from './model-store.ts';
import { createProcessModel } from './process-model.ts';
import type { Executions } from './reexecution.ts';
import { createProcessSteps, createRestarts } from './process-steps.ts';
import { createRequestSteps, sentBy } from './request-steps.ts';
import type { FootprintRecord } from './footprint.ts';
import { createByTime, createMemo } from './memo.ts';
import { type Violation, createServing, liveView } from './serving.ts';
import { isAtRest, isIdle } from './rest.ts';
import type { Local, Moment, Step, StepMaking } from './step.ts';
import { firstVersion } from './versions.ts';
import type { VisitRecord } from './visits.ts';
import type { Process, ModelWorld } from './world.ts';
import type { Planted, Scenario } from './scenario.ts';
import { createWorldSteps, isPressing } from './world-steps.ts';

export interface StepsOptions {
  readonly scenario: Scenario;
  readonly model: ControllerModel;
  readonly effects: EffectTable;
  readonly server: ModelServer;
  readonly lag: number;
  readonly faults: readonly FaultKind[];
  /** True if steps that commute may be postponed. */
  readonly postpones: boolean;
  /** Record of everything that this group accesses. Set if other groups share its processes. */
  readonly footprint?: FootprintRecord | undefined;
  readonly visits: VisitRecord;
  readonly executions?: Executions | undefined;
}

export interface Steps {
  initial(leaders: number): ModelWorld;
  /**
   * Returns all possible next steps. Faults are included if `faultsLeft` is above 0. Throws `Unknown` if an
   * effect must run first.
   */
  from(world: ModelWorld, faultsLeft: number): Step[];
  /** True if no key, request or event is in flight and no fault lasts. Timers may be pending. */
  isIdle(world: ModelWorld): boolean;
  /** True if the world is idle and no timer ends soon. */
  isAtRest(world: ModelWorld): boolean;
  /** Returns the first invariant that the quiescent world violates; undefined if there is none. */
  unmet(world: ModelWorld): Violation | undefined;
  /** Ids of the invariants whose premise has been reached so far. */
  readonly reached: ReadonlySet<string>;
}

/** Returns the possible steps from a world. Runs unknown effects first. */
export async function knownStepsFrom(steps: Steps, world: ModelWorld, faultsLeft: number): Promise<Step[]> {
  for (;;)
    try {
      return steps.from(world, faultsLeft);
    } catch (thrown) {
      if (!(thrown instanceof Unknown)) throw thrown;
      await thrown.run();
    }
}

const isMany = ({ verb }: ApiRequest): boolean => verb === 'deletecollection';

export function createSteps(options: StepsOptions): Steps {
  const { scenario, model, effects, server, lag, faults, postpones, footprint, visits } = options;
  const { invariants, instants, soonMs } = scenario;
  const kinds = new Set(faults);
  const reached = new Set<string>();
  const lastMs = instants.at(-1) ?? 0;
  const { executions } = options;
  const processes = createProcessModel({ model, effects, server, lastMs, soonMs, footprint, executions });
  const serving = createServing({
    model,
    server,
    processes,
    invariants,
    lag,
    onReached: (id) => reached.add(id),
    footprint,
  });
  const nowOf = ({ script }: ModelWorld): number => instants[script.at] ?? 0;

  const making: StepMaking = { scenario, model, processes, serving, visits, lag, postpones, footprint };
  const requests = createRequestSteps(making);
  const ofRunning = [requests.plain, createProcessSteps(making, requests)];
  const ofDown = [createRestarts(making)];
  const ofWorld = createWorldSteps(making);

  const bursts = createMemo<Process, boolean>();
  const sendsMany = (process: Process): boolean =>
    bursts(process, null, () => sentBy(process.reconciles).some(isMany));
  const nameOf = (leaders: number, node: number): string =>
    leaders > 1 ? `${model.name}-${node + 1}` : model.name;

  const checkedAt = createByTime(() => createMemo<ModelStore, Violation | undefined>());
  const seen = createByTime(() => createMemo<ModelStore, true>());
  const check = (world: ModelWorld): Violation | undefined => {
    footprint?.rest({ nowMs: nowOf(world), ghosts: world.ghosts, store: world.store });
    const live = liveView(world.store, nowOf(world));
    for (const [at, each] of invariants.entries()) {
      const found = each.atRest?.(world.ghosts[at], live);
      if (found?.reached) reached.add(each.id);
      if (found?.broken !== undefined) return { invariant: each.id, how: found.broken };
    }
    return undefined;
  };

  return {
    initial(leaders) {
      const store = [...(scenario.shared ?? []), ...scenario.objects].reduce(planted, emptyStore);
      footprint?.store(store);
      return {
        script: { at: 0, taken: {} },
        store,
        zombies: [],
        ghosts: invariants.map((each) => each.initial()),
        processes: Array.from({ length: leaders }, () => processes.started(store, instants[0] ?? 0)),
      };
    },
    from(world, faultsLeft) {
      const nowMs = nowOf(world);
      const isPressed = isPressing(scenario, world, nowMs);
      const isBurst = world.zombies.some(isMany) || world.processes.some((each) => sendsMany(each));
      const may = (fault: FaultKind): boolean => faultsLeft > 0 && kinds.has(fault);
      const moment: Moment = { world, nowMs, faultsLeft, isPressed, isBurst, may };
      if (footprint)
        seen(nowMs)(world.store, world.ghosts, () => {
          footprint.see({ nowMs, ghosts: world.ghosts, store: world.store });
          return true;
        });
      const steps: Step[] = [];
      const locals = world.processes.map((process, node): Local => {
        const who = nameOf(world.processes.length, node);
        return { world, nowMs, faultsLeft, isPressed, isBurst, may, node, who, process, looked: 0 };
      });
      allOf([
        ...locals.flatMap((local) =>
          (local.process.queue.up ? ofRunning : ofDown).map((source) => () => source(local, steps)),
        ),
        ...ofWorld.map((source) => () => source(moment, steps)),
      ]);
      return steps;
    },
    isIdle,
    isAtRest: (world) => isAtRest(world, nowOf(world)) && !isPressing(scenario, world, nowOf(world)),
    unmet: (world) => checkedAt(world.script.at)(world.store, world.ghosts, () => check(world)),
    reached,
  };
}

/** Returns the store with an additional initial object. */
export function planted(store: ModelStore, { resource, object }: Planted): ModelStore {
  const { namespace = '', name = '' } = object.metadata ?? {};
  const key = storeKey(resource, namespace, name);
  const uid = uidOf(resource, name, 1);
  const metadata = { ...object.metadata, uid, resourceVersion: firstVersion(uid) };
  return {
    objects: { ...store.objects, [key]: { ...object, metadata } },
    births: { ...store.births, [key]: 1 },
  };
}
