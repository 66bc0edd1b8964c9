import { type Local, type Step, type StepMaking, withProcess } from './step.ts';
import { replaced, soonDue } from './process-model.ts';
import { withZombies } from './request-steps.ts';
import { type ViewEvent, deliver } from './views.ts';

/** What may happen within a process that runs, requests apart. */
export function createProcessSteps({
  scenario,
  model,
  processes,
}: StepMaking): readonly ((local: Local) => Step[])[] {
  const { workers = 1 } = scenario;

  /** A worker takes a key. */
  const takes = ({ world, nowMs, node, who, process }: Local): Step[] =>
    process.passes.length < workers
      ? process.queue.ready.map((key) => ({
          label: `${who} takes ${key}`,
          world: withProcess(world, node, processes.take(process, key, nowMs)),
        }))
      : [];

  /** What informers hear, and what they miss. */
  const views = ({ world, spent, nowMs, node, who, process, may }: Local): Step[] =>
    process.views.flatMap((view, informer) => {
      const plural = model.followed[informer]?.kind.plural ?? '';
      const steps: Step[] = [];
      if (view.stalled)
        steps.push({
          label: `${who} lists ${plural} anew`,
          world: withProcess(world, node, processes.relisted(process, informer, world.store, nowMs)),
        });
      else if (view.pending.length > 0)
        steps.push({
          label: `${who} sees ${describeEvent(plural, view.pending[0])}`,
          world: withProcess(world, node, processes.withView(process, informer, deliver(view), nowMs)),
        });
      if (may('stall') && !view.stalled) {
        const silent = { objects: view.objects, pending: [], stalled: true } as const;
        steps.push({
          label: `the watch of ${plural} of ${who} falls silent`,
          world: withProcess(spent, node, { ...process, views: replaced(process.views, informer, silent) }),
          fault: 'stall',
        });
      }
      return steps;
    });

  /** Timers and the resync. */
  const wakes = ({ world, nowMs, node, who, process }: Local): Step[] => [
    ...soonDue(process.queue, nowMs).map((key) => ({
      label: `${who} wakes for ${key}`,
      world: withProcess(world, node, processes.awoken(process, [key])),
    })),
    ...(process.queue.flushed
      ? [
          {
            label: `${who} resyncs`,
            world: withProcess(world, node, processes.resynced(process, nowMs)),
          },
        ]
      : []),
  ];

  /** What strikes a whole process; where it has nothing to lose it changes nothing. */
  const breaks = ({ spent, node, who, process, may }: Local): Step[] => {
    const { queue, passes: running } = process;
    const isWaiting = queue.ready.length > 0 || Object.keys(queue.due).length > 0;
    const steps: Step[] = [];
    if (may('crash') && (running.length > 0 || isWaiting))
      steps.push({
        label: `${who} crashes`,
        world: withZombies(withProcess(spent, node, processes.crashed(process)), node, running),
        fault: 'crash',
      });
    if (may('flush') && !queue.flushed && isWaiting)
      steps.push({
        label: `the queue of ${who} is emptied`,
        world: withProcess(spent, node, {
          ...process,
          queue: { up: true, ready: [], again: queue.again, due: {}, flushed: true },
        }),
        fault: 'flush',
      });
    return steps;
  };

  return [takes, views, wakes, breaks];
}

/** How a process that is down starts again. */
export const createRestarts =
  ({ processes }: StepMaking) =>
  ({ world, spent, nowMs, node, who, process, may }: Local): Step[] => [
    {
      label: `${who} starts again`,
      world: withProcess(world, node, processes.started(world.store, nowMs)),
    },
    ...(may('stale-restart') && process.views.length > 0
      ? [
          {
            label: `${who} starts again on an API server that is behind`,
            world: withProcess(spent, node, processes.startedBehind(process, nowMs)),
            fault: 'stale-restart' as const,
          },
        ]
      : []),
  ];

const describeEvent = (plural: string, event: ViewEvent | undefined): string => {
  const { name = '', resourceVersion = '' } = event?.object.metadata ?? {};
  return event?.type === 'delete'
    ? `that ${plural} ${name} is gone`
    : `${plural} ${name} at ${resourceVersion}`;
};
