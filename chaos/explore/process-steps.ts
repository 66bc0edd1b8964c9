import type { Change } from './change.ts';
import { allOf } from './effect-table.ts';
import { WHILE_MS } from './elapsed.ts';
import { type ChangesOf, type Heard, createHearing } from './hearing.ts';
import { afterLesson } from './lessons.ts';
import { createByTime, createMemo } from './memo.ts';
import { MEMORY, type Noted, replaced } from './caches.ts';
import { soonDue } from './queue.ts';
import { type RequestSteps, sentBy } from './request-steps.ts';
import { type Local, type Moment, type StepMaking, type StepSource, withProcess } from './step.ts';
import { deliver, describeEvent, silence } from './views.ts';
import { type Process, withMemory, withViews } from './world.ts';

/** Returns a function that caches the transitions of each process. */
function byProcess(of: ChangesOf): ChangesOf {
  const memos = createByTime(() => createMemo<Process, readonly Change[]>());
  return (process, nowMs) => memos(nowMs)(process, null, () => of(process, nowMs));
}

/** Creates the steps of a running process, except the responses to its requests. */
export function createProcessSteps(making: StepMaking, requests: RequestSteps): StepSource<Local> {
  const { model, processes, serving, visits } = making;
  const { views, ...plain } = createChanges(making);
  const others = byProcess(plain.others);
  const breaks = byProcess(createBreaks(making));
  const memos = createByTime(() => ({
    possible: createMemo<Process, readonly Change[]>(),
    listed: model.followed.map(() => createMemo<Process, Noted>()),
  }));
  const changesOf = (process: Process, nowMs: number, isBreakable: boolean): readonly Change[] =>
    allOf([() => others(process, nowMs), () => (isBreakable ? breaks(process, nowMs) : [])]).flat();
  const hearing = createHearing(making, changesOf);

  /** Returns the re-lists of informers whose watches are silent. */
  const lists = ({ process, world, nowMs }: Local): readonly Change[] =>
    process.views.flatMap(({ stalled }, informer) => {
      if (!stalled) return [];
      const after = memos(nowMs).listed[informer]?.(process, world.store, () =>
        processes.noting(() => processes.relisted(process, informer, world.store, nowMs)),
      );
      const { plural = '' } = model.followed[informer]?.kind ?? {};
      return after ? [{ label: (who: string) => `${who} lists ${plural} again`, ...after }] : [];
    });
  /**
   * Returns the combinations of events to deliver just before an action that they influence. Undefined if
   * each event needs a separate step.
   */
  const heardOf = (local: Local, isPlain: boolean): readonly Heard[] | undefined => {
    const { process, nowMs } = local;
    if (!isPatient(making, local) || !isPlain || !hearing.isOrderless(process, nowMs)) return undefined;
    return hearing.heard(process, waitingOf(making, local), nowMs);
  };
  /** Returns the deliveries of events: alone, or merged with the next action of the process. */
  const hears = (local: Local, heard: readonly Heard[] | undefined): readonly Change[] => {
    const { process, nowMs, faultsLeft } = local;
    const alone = views(process, nowMs);
    if (!heard) return alone;
    const waiting = waitingOf(making, local);
    return [
      ...alone.filter(({ informer = -1 }) => !waiting.includes(informer)),
      // Events delivered to a crashed process matter only if a successor starts with its caches.
      ...hearing
        .changesAfter(process, heard, nowMs, faultsLeft > 0)
        .filter(({ last }) => last === undefined || isShown(local)),
    ];
  };
  const possible = (local: Local, heard: readonly Heard[] | undefined): readonly Change[] => {
    const { process, nowMs, faultsLeft, may } = local;
    return allOf([
      () => others(process, nowMs),
      () => hears(local, heard),
      () => (faultsLeft > 0 ? breaks(process, nowMs) : []),
    ])
      .flat()
      .filter((each) => (each.fault === undefined || may(each.fault)) && !isVain(making, local, each));
  };

  return (local, steps) => {
    const { world, nowMs, node, who, process, faultsLeft, looked, isBurst, isPressed } = local;
    const push = ({ label, process: after, last = after, fault, sent, struck = [], wish }: Change): void => {
      if (fault) for (const state of struck) visits.strike(fault, state);
      const next = withProcess(world, node, isShown(local) ? after : last);
      steps.push({
        label: () => label(who),
        world: sent ? serving.withZombies(next, sent) : next,
        ...(fault ? { fault } : {}),
        ...(wish ? { wish } : {}),
      });
    };
    const listed = lists(local);
    const isPlain = listed.every(({ looked: found = 0 }) => found === 0);
    const heard = heardOf(local, isPlain);
    // All facts outside the process on which the result depends.
    const circumstances = [looked & MEMORY, isPlain, isBurst, Math.min(faultsLeft, 2)].join();
    for (const each of memos(nowMs).possible(process, circumstances, () => possible(local, heard)))
      if (!(each.late && isPressed)) push(each);
    for (const each of listed) push(each);
    if (heard) requests.after(local, heard, hearing.hears, steps);
  };
}

/** True if steps that commute may be postponed. False while one request sends several events. */
const isPatient = ({ lag, postpones }: StepMaking, { isBurst }: Local): boolean =>
  postpones && lag > 0 && !isBurst;

/**
 * Returns the informers whose events may wait until a step depends on them, because no subscribed handler
 * depends on the order of events.
 */
function waitingOf(making: StepMaking, local: Local): readonly number[] {
  const { model } = making;
  const { process, looked } = local;
  const subscribed = model.followed.filter((_, informer) => model.isSubscribed(informer)).length;
  return process.views.flatMap(({ pending }, informer) => {
    const isTold = model.isSubscribed(informer) && (subscribed > 1 || (looked & MEMORY) !== 0);
    return pending.length === 0 || isTold ? [] : [informer];
  });
}

/**
 * True if a watch falls silent while no event is pending and steps are postponed.
 *
 * Such a fault has no effect yet. When the next event is pending, the fault is still possible and has the
 * same result.
 */
const isVain = (making: StepMaking, local: Local, { fault, informer = -1 }: Change): boolean =>
  fault === 'stall' && local.process.views[informer]?.pending.length === 0 && isPatient(making, local);

/** True if a later fault may start a successor with the caches of this process. */
const isShown = ({ faultsLeft, may }: Moment): boolean => faultsLeft > 1 && may('stale-restart');

/** Creates the changes that need no fault. */
function createChanges({ scenario, model, processes, footprint }: StepMaking) {
  const { workers = 1, lessons = [] } = scenario;

  /**
   * Returns the changes in which a worker takes a key, immediately or after a delay. Only the reconcile of
   * the key can observe the delay.
   */
  const takes = (process: Process, nowMs: number): Change[] => {
    if (process.reconciles.length >= workers) return [];
    const isOnTime = process.views.every(({ pending }) => pending.length === 0);
    const later = isOnTime ? processes.older(process, WHILE_MS) : process;
    return allOf(
      process.queue.ready.flatMap((key): (() => Change)[] => [
        () => ({ label: (who) => `${who} takes ${key}`, process: processes.take(process, key, nowMs) }),
        ...(later === process
          ? []
          : [
              () => ({
                late: true as const,
                label: (who: string) => `${who} takes ${key} after a while`,
                process: processes.take(later, key, nowMs),
              }),
            ]),
      ]),
    );
  };

  /** Returns the deliveries of the oldest event of each informer. */
  const views = (process: Process, nowMs: number): Change[] =>
    process.views.flatMap((view, informer) => {
      const [event] = view.pending;
      if (view.stalled || !event) return [];
      const { plural = '' } = model.followed[informer]?.kind ?? {};
      return {
        label: (who: string) => `${who} sees ${describeEvent(plural, event)}`,
        ...processes.noting(() => processes.withView(process, informer, deliver(view), nowMs)),
        informer,
      };
    });

  /** Returns the timers that are due, and the resync of an emptied queue. */
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

  /**
   * Returns the changes in which the memory learns entries from reconciliations of other groups in the same
   * process.
   */
  const learns = (process: Process): Change[] =>
    lessons.flatMap((lesson) => {
      const memory = afterLesson(process.memory, lesson);
      if (memory === undefined) return [];
      return {
        label: (who: string) => `${who} learns of another what ${lesson.key} is`,
        process: withMemory(process, memory),
        wish: true,
      };
    });

  return {
    views,
    others(process: Process, nowMs: number): readonly Change[] {
      const { ready, again, due } = process.queue;
      for (const key of [...ready, ...again, ...Object.keys(due)]) footprint?.key(key);
      return [...takes(process, nowMs), ...wakes(process, nowMs), ...learns(process)];
    },
  };
}

/** Creates the faults of one process. */
function createBreaks({ model, processes, footprint }: StepMaking) {
  /** Returns the faults in which a watch falls silent. */
  const stalls = (process: Process): Change[] =>
    process.views.flatMap((view, informer) => {
      if (view.stalled) return [];
      const { plural = '' } = model.followed[informer]?.kind ?? {};
      return {
        label: (who: string) => `the watch of ${plural} of ${who} falls silent`,
        process: withViews(process, replaced(process.views, informer, silence(view))),
        fault: 'stall',
        informer,
      } as const;
    });

  /** Returns the faults in which the requests of a reconcile time out. */
  const timeouts = (process: Process, nowMs: number): Change[] =>
    allOf(
      process.reconciles.flatMap((reconcile, at): (() => Change)[] =>
        reconcile.open.length === 0
          ? []
          : [
              () => ({
                label: (who: string) => `${who} ${reconcile.key} [${reconcile.machine.state}] waits in vain`,
                struck: [reconcile.machine.state],
                ...processes.noting(() => processes.giveUp(process, at, nowMs)),
                sent: sentBy([reconcile]),
                fault: 'timeout',
              }),
            ],
      ),
    );

  /**
   * Returns the faults of the whole process. They are omitted if the process has no state to lose, unless
   * another group shares the process.
   */
  const losses = (process: Process): Change[] => {
    const { queue, reconciles: running } = process;
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

/** Creates the steps that restart a crashed process. */
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
