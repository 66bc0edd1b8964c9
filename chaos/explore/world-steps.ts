import { type ApiRequest, describeRequest, isWrite } from './api-request.ts';
import type { FootprintRecord } from './footprint.ts';
import { createByTime, createMemo } from './memo.ts';
import type { ModelStore } from './model-store.ts';
import { inOrder } from './queue.ts';
import { isAtRest } from './rest.ts';
import { type Moment, type Step, type StepMaking, type StepSource, describeAnswer } from './step.ts';
import { type Script, withProcesses, withScript, withZombies, type ModelWorld } from './world.ts';
import type { Action, Scenario } from './scenario.ts';

/**
 * Maximum time in milliseconds for which a request is in flight. After this time, client and server have
 * timed out.
 */
const REQUEST_LIFETIME_MS = 60_000;

/** Creates the steps that belong to no process: late requests, clock ticks and user actions. */
export const createWorldSteps = (making: StepMaking): readonly StepSource<Moment>[] => [
  createArrivals(making),
  createTicks(making),
  createActs(making),
];

/** Creates the steps in which a request arrives whose sender no longer waits. */
const createArrivals =
  ({ model, serving, postpones }: StepMaking): StepSource<Moment> =>
  ({ world, nowMs }, steps) => {
    for (const [at, request] of world.zombies.entries()) {
      const rest = withZombies(
        world,
        world.zombies.filter((_, each) => each !== at),
      );
      const { world: after, answer, broken } = serving.serve(rest, request, nowMs, model.name);
      // A rejected request changes nothing. It may also never arrive, so omitting the step loses no
      // behaviour.
      if (postpones && after.store === world.store) continue;
      steps.push({
        label: () => `a late ${describeRequest(request)} arrives → ${describeAnswer(answer)}`,
        world: after,
        ...(broken ? { broken } : {}),
      });
    }
  };

function createTicks({ scenario, processes }: StepMaking): StepSource<Moment> {
  const { instants, patient = false } = scenario;
  const scripts = createMemo<Script, Script>();
  const ripened = (world: ModelWorld, nowMs: number, passedMs: number): ModelWorld =>
    withProcesses(
      world,
      world.processes.map((process) => processes.ripened(process, nowMs, passedMs)),
    );

  return ({ world, nowMs, isPressed, may }, steps) => {
    const nextMs = instants[world.script.at + 1];
    if (nextMs === undefined || isPressed || (patient && !isAtRest(world, nowMs))) return;
    const script = scripts(world.script, null, () => ({ ...world.script, at: world.script.at + 1 }));
    const next = withScript(world, script);
    const isLong = nextMs - nowMs >= REQUEST_LIFETIME_MS;
    const isOpen = hasOpenWrites(world);
    if (!isLong || !isOpen)
      steps.push({
        label: () => `it is ${clockText(nextMs)}`,
        world: ripened(isLong ? withZombies(next, []) : next, nextMs, nextMs - nowMs),
        tick: true,
      });
    if (isLong && may('late') && (isOpen || world.zombies.length > 0))
      steps.push({
        label: () => `it is ${clockText(nextMs)}, and what was sent is still on its way`,
        world: ripened(next, nextMs, nextMs - nowMs),
        fault: 'late',
      });
  };
}

/** Creates the steps of the workload's actions. */
function createActs({ scenario: { actions }, serving, footprint }: StepMaking): StepSource<Moment> {
  const scripts = createMemo<Script, Script>();
  const wishes = createByTime(() => createMemo<ModelStore, ApiRequest | undefined>());

  const act = (world: ModelWorld, { name, progress }: Action, wanted: ApiRequest, nowMs: number): Step => {
    const script = scripts(world.script, name, () => ({
      ...world.script,
      taken: inOrder({ ...world.script.taken, [name]: (world.script.taken[name] ?? 0) + 1 }),
    }));
    const { world: after, broken } = serving.serve(withScript(world, script), wanted, nowMs, 'user');
    return {
      label: () => name,
      world: after,
      ...(progress ? {} : ({ wish: true } as const)),
      ...(broken ? { broken } : {}),
    };
  };

  return ({ world, nowMs }, steps) => {
    for (const action of actions) {
      if (!isOpen(action, world)) continue;
      const wanted = wishes(nowMs)(world.store, action, () => {
        const { objects } = world.store;
        return action.request(footprint ? watched(objects, footprint) : objects, nowMs);
      });
      if (wanted) steps.push(act(world, action, wanted, nowMs));
    }
  };
}

const isOpen = ({ name, after, times = 1 }: Action, { script: { taken } }: ModelWorld): boolean =>
  (taken[name] ?? 0) < times && (after === undefined || (taken[after] ?? 0) > 0);

/** True if a prompt action is possible, so that no time may pass before it. */
export const isPressing = ({ actions }: Scenario, world: ModelWorld, nowMs: number): boolean =>
  actions.some(
    (action) =>
      action.prompt && isOpen(action, world) && action.request(world.store.objects, nowMs) !== undefined,
  );

/** Returns the objects with a proxy that records in the footprint which of them are read. */
const watched = (objects: ModelStore['objects'], { wish }: FootprintRecord): ModelStore['objects'] =>
  new Proxy(objects, {
    get(target, key) {
      wish(String(key));
      return target[String(key)];
    },
    has(target, key) {
      wish(String(key));
      return key in target;
    },
    ownKeys(target) {
      wish(undefined);
      return Reflect.ownKeys(target);
    },
  });

const hasOpenWrites = ({ processes }: ModelWorld): boolean =>
  processes.some(({ reconciles }) =>
    reconciles.some(({ open }) => open.some(({ request }) => isWrite(request))),
  );

const clockText = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');
