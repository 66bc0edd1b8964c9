import { type Change, isSameProcess } from './change.ts';
import { CLOCK, MEMORY, type Noted } from './caches.ts';
import { allOf } from './effect-table.ts';
import { createByTime, createMemo } from './memo.ts';
import type { StepMaking } from './step.ts';
import { deliver, describeEvent } from './views.ts';
import type { Process } from './world.ts';

/** Returns the possible transitions of a process, except deliveries of events and responses. */
export type ChangesOf = (process: Process, nowMs: number) => readonly Change[];

/** Like `ChangesOf`. Faults are included only if `isBreakable`, because each fault requires a simulation. */
type PossibleChangesOf = (process: Process, nowMs: number, isBreakable: boolean) => readonly Change[];

/**
 * Partial-order reduction for the delivery of watch events.
 *
 * Delivering an event changes a cache and enqueues keys. The delivery commutes with everything outside the
 * process, and later events of the same informer wait for it. So a delivery is merged into one step with the
 * first action of the process that it influences. Intermediate worlds, in which an event is delivered but has
 * had no effect yet, are explored only if they are quiescent.
 *
 * Influence is tested by simulation: an event does not influence an action if delivering the event afterwards
 * leads to the same process.
 */
export interface Hearing {
  /**
   * True if the pending events of all informers lead to the same state of the process and the same enqueued keys in
   * every order of delivery.
   *
   * A write of another process may force the delivery of the oldest event of any informer. An event may
   * therefore wait only if it commutes with all other pending events. Events that are sent later are tested
   * when they arrive.
   */
  isOrderless(process: Process, nowMs: number): boolean;
  /**
   * Returns every combination of pending events that may have been delivered to the given informers.
   * Undefined if an event does not commute with the remaining steps of the world; each event is then
   * delivered in a separate step.
   */
  heard(process: Process, informers: readonly number[], nowMs: number): readonly Heard[] | undefined;
  /** Returns the transitions of the process after the delivery, except those that responses cause. */
  changesAfter(
    process: Process,
    heard: readonly Heard[],
    nowMs: number,
    isBreakable: boolean,
  ): readonly Change[];
  /**
   * Returns the process after the oldest pending event of an informer; undefined if no event can be
   * delivered.
   */
  hears(process: Process, informer: number, nowMs: number): Noted | undefined;
}

/** A process after delivery of some pending events. */
export interface Heard {
  readonly process: Process;
  /** Number of delivered events for each informer. */
  readonly counts: readonly number[];
  label(who: string): string;
}

/** True if a watch falls silent while no event is pending. Such a fault has no effect yet. */
const isVain = ({ fault, informer = -1 }: Change, { views }: Process): boolean =>
  fault === 'stall' && views[informer]?.pending.length === 0;

/** Bits of state that may change without a delivery. */
const UNSTEADY = MEMORY | CLOCK;

export function createHearing(making: StepMaking, changesOf: PossibleChangesOf): Hearing {
  const { scenario, model, processes } = making;
  const { instants, patient = false } = scenario;

  const NONE = model.followed.map(() => 0).join();
  const memos = createByTime(() => ({
    next: createMemo<Process, Noted>(),
    heard: createMemo<Process, readonly Heard[] | undefined>(),
    orderless: createMemo<Process, boolean>(),
  }));

  const hears = (process: Process, informer: number, nowMs: number): Noted | undefined => {
    const view = process.views[informer];
    if (!view || view.stalled || view.pending.length === 0) return undefined;
    return memos(nowMs).next(process, informer, () =>
      processes.noting(() => processes.withView(process, informer, deliver(view), nowMs)),
    );
  };
  /** True if the process is the same when the clock ticks before the delivery instead of after it. */
  const outlastsTicks = (process: Process, informer: number, after: Process, nowMs: number): boolean => {
    const nextMs = instants[instants.indexOf(nowMs) + 1];
    if (patient || nextMs === undefined) return true;
    const passed = (each: Process): Process => processes.ripened(each, nextMs, nextMs - nowMs);
    const late = hears(passed(process), informer, nextMs);
    return late !== undefined && isSameProcess(late.process, passed(after));
  };

  /** Returns all delivery combinations; undefined if one of them depends on the clock or on memory. */
  const heardBy = (
    process: Process,
    informers: readonly number[],
    nowMs: number,
  ): readonly Heard[] | undefined => {
    const found: Heard[] = [];
    const first: Heard = { process, counts: process.views.map(() => 0), label: (who) => who };
    const pending: (readonly [Heard, number])[] = [[first, 0]];
    for (let next = pending.pop(); next; next = pending.pop()) {
      const [before, from] = next;
      for (const informer of informers) {
        if (informer < from) continue;
        const heard = hears(before.process, informer, nowMs);
        if (!heard) continue;
        const { process: after, looked } = heard;
        if ((looked & UNSTEADY) !== 0 || !outlastsTicks(before.process, informer, after, nowMs))
          return undefined;
        const [event] = before.process.views[informer]?.pending ?? [];
        const { plural = '' } = model.followed[informer]?.kind ?? {};
        const what = event ? describeEvent(plural, event) : '';
        const counts = before.counts.map((count, at) => (at === informer ? count + 1 : count));
        const each = { process: after, counts, label: (who: string) => `${before.label(who)} sees ${what},` };
        found.push(each);
        pending.push([each, informer]);
      }
    }
    return found;
  };

  const findOrderless = (process: Process, nowMs: number): boolean => {
    const by = new Map([[process.views.map(() => 0).join(), process]]);
    const pending = [process.views.map(() => 0)];
    let looked = 0;
    for (let counts = pending.pop(); counts; counts = pending.pop()) {
      const before = by.get(counts.join());
      for (const informer of process.views.keys()) {
        const heard = before && hears(before, informer, nowMs);
        if (!heard) continue;
        looked |= heard.looked;
        const after = counts.map((count, at) => (at === informer ? count + 1 : count));
        const known = by.get(after.join());
        if (known && !isSameProcess(known, heard.process)) return false;
        if (known) continue;
        by.set(after.join(), heard.process);
        pending.push(after);
      }
    }
    if (looked === 0) return true;
    // Re-listing a silent watch changes the cache by more than its pending events.
    return (looked & UNSTEADY) === 0 && process.views.every(({ stalled }) => !stalled);
  };
  const isOrderless = (process: Process, nowMs: number): boolean =>
    memos(nowMs).orderless(process, null, () => findOrderless(process, nowMs));

  /**
   * True if the same process results when the last event of some informer is delivered after the change
   * instead of before it.
   */
  const isEarly = (
    change: Change,
    heard: Heard,
    all: ReadonlyMap<string, Process>,
    nowMs: number,
    isBreakable: boolean,
  ): boolean =>
    heard.counts.some((count, informer) => {
      if (count === 0) return false;
      const before = all.get(heard.counts.map((each, at) => (at === informer ? each - 1 : each)).join());
      const label = change.label('');
      const other = before && changesOf(before, nowMs, isBreakable).find((each) => each.label('') === label);
      const late = other && hears(other.process, informer, nowMs);
      return late !== undefined && isSameProcess(late.process, change.process);
    });

  return {
    isOrderless,
    hears,
    heard: (process, informers, nowMs) =>
      memos(nowMs).heard(process, informers.join(), () => heardBy(process, informers, nowMs)),
    changesAfter(process, heard, nowMs, isBreakable) {
      const all = new Map([
        [NONE, process],
        ...heard.map((each) => [each.counts.join(), each.process] as const),
      ]);
      const changesAfter = (each: Heard) => (): readonly Change[] => {
        const { queue, reconciles, views } = each.process;
        const isAll = views.every(({ pending }) => pending.length === 0);
        if (isAll && reconciles.length === 0 && queue.ready.length === 0)
          return [{ label: each.label, process: each.process }];
        return changesOf(each.process, nowMs, isBreakable)
          .filter(
            (change) => !isVain(change, each.process) && !isEarly(change, each, all, nowMs, isBreakable),
          )
          .map((change) => ({ ...change, label: (who) => labelled(each, change.label(who), who) }));
      };
      return allOf(heard.map(changesAfter)).flat();
    },
  };
}

/** Returns the label of an action, preceded by the events that were delivered before it. */
export const labelled = (heard: Heard, label: string, who: string): string =>
  `${heard.label(who)} ${label.replace(`${who} `, '')}`;
