import type { ApiRequest } from './api-request.ts';
import { WHILE_MS } from './elapsed.ts';
import type { FaultKind } from './faults.ts';
import { createByTime, createMemo } from './memo.ts';
import { type Noted, bitOf, replaced } from './process-model.ts';
import { soonDue } from './queue.ts';
import { sentBy } from './request-steps.ts';
import { type Local, type StepMaking, type StepSource, withProcess } from './step.ts';
import { type ViewEvent, deliver, silence } from './views.ts';
import type { Process, World } from './world.ts';

/** What may happen within a process, whatever the rest of the world is like. */
interface Change {
  label(who: string): string;
  readonly process: Process;
  /** What it is instead where nothing more can go wrong. */
  readonly last?: Process;
  readonly fault?: FaultKind;
  /** Requests that nobody waits for any more. */
  readonly sent?: readonly ApiRequest[];
  /** What was read of its caches for it, as in `Noted`. */
  readonly looked?: number;
  /** States of passes whose requests it strikes. */
  readonly struck?: readonly string[];
  /** The informer that hears of it. */
  readonly informer?: number;
  /** Time has passed before it. */
  readonly late?: true;
}

/** What may happen within a process that runs, requests apart. */
export function createProcessSteps(making: StepMaking): StepSource<Local> {
  const { model, processes, serving, visits } = making;
  const changes = createChanges(making);
  const breaks = createBreaks(making);
  const memos = createByTime(() => ({
    changes: createMemo<Process, readonly Change[]>(),
    breaks: createMemo<Process, readonly Change[]>(),
    listed: model.followed.map(() => createMemo<Process, Noted>()),
  }));
  const isLater = createPostponement(making);

  return (local, steps) => {
    const { world, nowMs, node, who, process, faultsLeft, may } = local;
    const known = memos(nowMs);
    const push = ({ label, process: after, last = after, fault, sent, struck = [] }: Change): void => {
      if (fault) for (const state of struck) visits.strike(fault, state);
      const next = withProcess(world, node, faultsLeft === 1 ? last : after);
      steps.push({
        label: () => label(who),
        world: sent ? serving.withZombies(next, sent) : next,
        ...(fault ? { fault } : {}),
      });
    };
    const possible = [...known.changes(process, null, () => changes(process, nowMs))];
    for (const [informer, { stalled }] of process.views.entries()) {
      if (!stalled) continue;
      const after = known.listed[informer]?.(process, world.store, () =>
        processes.noting(() => processes.relisted(process, informer, world.store, nowMs)),
      );
      const { plural = '' } = model.followed[informer]?.kind ?? {};
      if (after) possible.push({ label: (each) => `${each} lists ${plural} anew`, ...after });
    }
    if (faultsLeft > 0)
      for (const each of known.breaks(process, null, () => breaks(process, nowMs)))
        if (each.fault && may(each.fault)) possible.push(each);
    for (const { looked = 0, informer } of possible)
      // What an event brings up may depend on what is in the caches: then none of them is put off.
      local.looked |= informer !== undefined && looked !== 0 ? ~0 : looked;
    for (const each of possible) if (!isLater(local, each) && !(each.late && local.isPressed)) push(each);
  };
}

/**
 * What may as well happen later, for nothing that happens before tells the difference.
 *
 * An event that arrives while every worker is busy changes a cache and marks keys that are in work to be taken again. All
 * else that can happen commutes with that as long as none of it reads that cache; so it arrives where something does, or
 * where a worker is free, which every pass comes to: nothing is put off for ever. It must find the same keys then, so
 * what it brings up depends on no cache, and the controller makes nothing of it itself (`isSubscribed`); keys that are
 * not in work could be lost with the queue; and a resync brings up what is in the caches. What they held tells on a process that dies only while a fault may show it to the successor. A
 * watch that falls silent after the event has arrived can do so after it has arrived later.
 *
 * A watch that falls silent while nothing is on its way has missed nothing yet. What it will miss first is on its way for a
 * moment, in which it can still fall silent, and leaves it as if it had before; until then nothing tells.
 */
function createPostponement({ scenario: { workers = 1 }, model, lag, postpones }: StepMaking) {
  const hasTime = ({ process, faultsLeft, may, looked }: Local, informer: number, after: Process): boolean =>
    process.passes.length >= workers &&
    (looked & bitOf(informer)) === 0 &&
    !model.isSubscribed(informer) &&
    !process.queue.flushed &&
    (!may('flush') || after.queue.ready === process.queue.ready) &&
    !(faultsLeft > 1 && may('stale-restart'));

  return (local: Local, { informer, fault, process: after }: Change): boolean => {
    if (!postpones || informer === undefined || lag === 0) return false;
    const isLater =
      fault === 'stall'
        ? local.process.views[informer]?.pending.length === 0
        : hasTime(local, informer, after);
    // One request that sends several events pushes some of them through at once.
    return isLater && !tellsMuch(local.world);
  };
}

const tellsMuch = ({ zombies, processes }: World): boolean =>
  [...zombies, ...processes.flatMap(({ passes }) => sentBy(passes))].some(
    ({ verb }) => verb === 'deletecollection',
  );

/** What happens by itself. */
function createChanges({ scenario, model, processes, footprint }: StepMaking) {
  const { workers = 1 } = scenario;

  /** A worker takes a key, at once or after a while: how much time has passed, only what it runs then can tell. */
  const takes = (process: Process, nowMs: number): Change[] => {
    if (process.passes.length >= workers) return [];
    const isOnTime = process.views.every(({ pending }) => pending.length === 0);
    const later = isOnTime ? processes.older(process, WHILE_MS) : process;
    return process.queue.ready.flatMap((key) => [
      { label: (who) => `${who} takes ${key}`, process: processes.take(process, key, nowMs) },
      ...(later === process
        ? []
        : [
            {
              late: true as const,
              label: (who: string) => `${who} takes ${key} after a while`,
              process: processes.take(later, key, nowMs),
            },
          ]),
    ]);
  };

  /** What informers hear. */
  const views = (process: Process, nowMs: number): Change[] =>
    process.views.flatMap((view, informer) => {
      if (view.stalled || view.pending.length === 0) return [];
      const { plural = '' } = model.followed[informer]?.kind ?? {};
      return {
        label: (who: string) => `${who} sees ${describeEvent(plural, view.pending[0])}`,
        ...processes.noting(() => processes.withView(process, informer, deliver(view), nowMs)),
        informer,
      };
    });

  /** Timers and the resync. */
  const wakes = (process: Process, nowMs: number): Change[] => [
    ...soonDue(process.queue, nowMs).map((key) => ({
      label: (who: string) => `${who} wakes for ${key}`,
      process: processes.awoken(process, [key]),
    })),
    ...(process.queue.flushed
      ? [
          {
            label: (who: string) => `${who} resyncs`,
            ...processes.noting(() => processes.resynced(process, nowMs)),
          },
        ]
      : []),
  ];

  return (process: Process, nowMs: number): readonly Change[] => {
    const { ready, again, due } = process.queue;
    for (const key of [...ready, ...again, ...Object.keys(due)]) footprint?.key(key);
    return [takes, views, wakes].flatMap((kind) => kind(process, nowMs));
  };
}

/** What goes wrong. */
function createBreaks({ model, processes, footprint }: StepMaking) {
  /** Informers that hear no more. */
  const stalls = (process: Process): Change[] =>
    process.views.flatMap((view, informer) => {
      if (view.stalled) return [];
      const { plural = '' } = model.followed[informer]?.kind ?? {};
      return {
        label: (who: string) => `the watch of ${plural} of ${who} falls silent`,
        process: { ...process, views: replaced(process.views, informer, silence(view)) },
        fault: 'stall',
        informer,
      } as const;
    });

  /** Passes that wait no more. */
  const timeouts = (process: Process, nowMs: number): Change[] =>
    process.passes.flatMap((pass, at) =>
      pass.open.length === 0
        ? []
        : ({
            label: (who: string) => `${who} ${pass.key} [${pass.machine.state}] waits in vain`,
            struck: [pass.machine.state],
            ...processes.noting(() => processes.giveUp(process, at, nowMs)),
            sent: sentBy([pass]),
            fault: 'timeout',
          } as const),
    );

  /** What strikes a whole process: where it has nothing to lose it changes nothing, but others' work in it may have. */
  const losses = (process: Process): Change[] => {
    const { queue, passes: running } = process;
    const isWaiting = footprint !== undefined || queue.ready.length > 0 || Object.keys(queue.due).length > 0;
    const changes: Change[] = [];
    if (running.length > 0 || isWaiting)
      changes.push({
        label: (who) => `${who} crashes`,
        struck: running.filter(({ open }) => open.length > 0).map(({ machine }) => machine.state),
        process: processes.crashed(process),
        last: processes.buried,
        sent: sentBy(running),
        fault: 'crash',
      });
    if (!queue.flushed && isWaiting)
      changes.push({
        label: (who) => `the queue of ${who} is emptied`,
        process: processes.flushed(process),
        fault: 'flush',
      });
    return changes;
  };

  return (process: Process, nowMs: number): readonly Change[] =>
    [stalls, timeouts, losses].flatMap((kind) => kind(process, nowMs));
}

/** How a process that is down starts again. */
export function createRestarts({ processes }: StepMaking): StepSource<Local> {
  const memos = createByTime(() => ({
    started: createMemo<object, Process>(),
    behind: createMemo<Process, Process>(),
  }));
  return ({ world, nowMs, node, who, process, may }, steps) => {
    const { started, behind } = memos(nowMs);
    steps.push({
      label: () => `${who} starts again`,
      world: withProcess(
        world,
        node,
        started(world.store, null, () => processes.started(world.store, nowMs)),
      ),
    });
    if (may('stale-restart') && process.views.length > 0)
      steps.push({
        label: () => `${who} starts again on an API server that is behind`,
        world: withProcess(
          world,
          node,
          behind(process, null, () => processes.startedBehind(process, nowMs)),
        ),
        fault: 'stale-restart',
      });
  };
}

const describeEvent = (plural: string, event: ViewEvent | undefined): string => {
  const { name = '', resourceVersion = '' } = event?.object.metadata ?? {};
  return event?.type === 'delete'
    ? `that ${plural} ${name} is gone`
    : `${plural} ${name} at ${resourceVersion}`;
};
