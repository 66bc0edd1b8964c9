import { describeRequest, isWrite } from './api-request.ts';
import { inOrder } from './process-model.ts';
import type { Violation } from './serving.ts';
import { type Moment, type Step, type StepMaking, describeAnswer } from './step.ts';
import type { World } from './world.ts';

/** No longer than this is a request on its way: then client and server have given it up. */
const REQUEST_LIFETIME_MS = 60_000;

/** What may happen outside of processes: late requests, the clock, the workload. */
export function createWorldSteps({
  scenario,
  model,
  processes,
  serve,
}: StepMaking): readonly ((moment: Moment) => Step[])[] {
  const { instants, actions } = scenario;

  /** Requests arrive whose senders wait for them no more. */
  const arrivals = ({ world, nowMs }: Moment): Step[] =>
    world.zombies.map(({ request, node }, at) => {
      const rest = { ...world, zombies: world.zombies.filter((_, each) => each !== at) };
      const { world: after, answer, broken } = serve(rest, request, nowMs, model.name, node);
      return {
        label: `a late ${describeRequest(request)} arrives → ${describeAnswer(answer)}`,
        world: after,
        ...(broken ? { broken } : {}),
      };
    });

  const ticks = ({ world, spent, nowMs, may }: Moment): Step[] => {
    const nextMs = instants[world.script.at + 1];
    if (nextMs === undefined) return [];
    const script = { ...world.script, at: world.script.at + 1 };
    const isLong = nextMs - nowMs >= REQUEST_LIFETIME_MS;
    const isOpen = hasOpenWrites(world);
    const steps: Step[] = [];
    if (!isLong || !isOpen)
      steps.push({
        label: `it is ${clockText(nextMs)}`,
        world: ripened({ ...world, script, ...(isLong ? { zombies: [] } : {}) }),
      });
    if (isLong && may('late') && (isOpen || world.zombies.length > 0))
      steps.push({
        label: `it is ${clockText(nextMs)}, and what was sent is still on its way`,
        world: ripened({ ...world, script: { ...script, faults: spent.script.faults } }),
        fault: 'late',
      });
    return steps;
  };
  const ripened = (world: World): World => ({
    ...world,
    processes: world.processes.map((process) => {
      const { due } = process.queue;
      const ripe = Object.keys(due).filter((key) => (due[key] ?? 0) <= (instants[world.script.at] ?? 0));
      return ripe.length === 0 ? process : processes.awoken(process, ripe);
    }),
  });

  /** What the workload does. */
  const acts = ({ world, nowMs }: Moment): Step[] =>
    actions.flatMap(({ name, times = 1, progress, requests }) => {
      const taken = world.script.taken[name] ?? 0;
      const wanted = taken < times ? requests(world.store.objects, nowMs) : undefined;
      if (!wanted) return [];
      const script = { ...world.script, taken: inOrder({ ...world.script.taken, [name]: taken + 1 }) };
      let next: World = { ...world, script };
      let broken: Violation | undefined;
      for (const request of wanted) {
        const served = serve(next, request, nowMs, 'user');
        next = served.world;
        broken ??= served.broken;
      }
      return [
        {
          label: name,
          world: next,
          ...(progress ? {} : { wish: true }),
          ...(broken ? { broken } : {}),
        } as const,
      ];
    });

  return [arrivals, ticks, acts];
}

const hasOpenWrites = ({ processes }: World): boolean =>
  processes.some(({ passes }) => passes.some(({ open }) => open.some(({ request }) => isWrite(request))));

const clockText = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');
