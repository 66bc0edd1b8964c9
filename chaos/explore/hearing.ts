import { type Change, isSameProcess } from './change.ts';
import { CLOCK, MEMORY, type Noted } from './caches.ts';
import { allOf } from './effect-table.ts';
import { createByTime, createMemo } from './memo.ts';
import type { StepMaking } from './step.ts';
import { deliver, describeEvent } from './views.ts';
import type { Process } from './world.ts';

/** What may happen to a process, the arrival of events and of answers aside. */
export type ChangesOf = (process: Process, nowMs: number) => readonly Change[];

/** The same, what goes wrong included only where something still may: otherwise nobody needs to know what would come of it. */
type PossibleChangesOf = (process: Process, nowMs: number, isBreakable: boolean) => readonly Change[];

/**
 * What happens to a process once some of what is on its way to it has arrived.
 *
 * The arrival of an event changes a cache and brings up keys. It commutes with all that happens elsewhere: what a later
 * event of the same informer pushes through, it would have pushed through too. So it arrives just before something of the
 * process itself that turns out otherwise then, and both are one step; worlds in which it has arrived and nothing has
 * come of it yet need not be looked at, but for those at rest. Whether something turns out otherwise is not argued but
 * tried: it does not where the event may as well arrive after it, and leaves the same process.
 */
export interface Hearing {
  /**
   * Whether all that is on its way comes to the same in whatever order it arrives, where what an event brings up is found
   * in caches. Somebody else's write may push the oldest event of any informer through: an event may wait for its turn only
   * if it makes no difference to it, nor it to them, which of these have arrived. What comes up later is asked about then.
   */
  isOrderless(process: Process, nowMs: number): boolean;
  /**
   * All that may have arrived of what is on its way to the informers that are named. Undefined where an event does not
   * commute with what may happen elsewhere: then each arrives by itself.
   */
  heard(process: Process, informers: readonly number[], nowMs: number): readonly Heard[] | undefined;
  /** What the process does after that, but for what comes of answers. */
  changesAfter(
    process: Process,
    heard: readonly Heard[],
    nowMs: number,
    isBreakable: boolean,
  ): readonly Change[];
  /** The process after the oldest event of an informer; undefined where there is none. */
  hears(process: Process, informer: number, nowMs: number): Noted | undefined;
}

/** A process after some of what is on its way has arrived, and how. */
export interface Heard {
  readonly process: Process;
  /** For each informer, how many of its events. */
  readonly counts: readonly number[];
  label(who: string): string;
}

/** A watch falls silent while something is on its way: before, it misses nothing. */
const isVain = ({ fault, informer = -1 }: Change, { views }: Process): boolean =>
  fault === 'stall' && views[informer]?.pending.length === 0;

/** What may change while nothing arrives. */
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
  /** Whether it is the same if the clock moves on first. */
  const outlastsTicks = (process: Process, informer: number, after: Process, nowMs: number): boolean => {
    const nextMs = instants[instants.indexOf(nowMs) + 1];
    if (patient || nextMs === undefined) return true;
    const passed = (each: Process): Process => processes.ripened(each, nextMs, nextMs - nowMs);
    const late = hears(passed(process), informer, nextMs);
    return late !== undefined && isSameProcess(late.process, passed(after));
  };

  /** All that may have arrived; undefined where that is not the same whatever happens meanwhile. */
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
    // A list changes a cache by more than what is on its way.
    return (looked & UNSTEADY) === 0 && process.views.every(({ stalled }) => !stalled);
  };
  const isOrderless = (process: Process, nowMs: number): boolean =>
    memos(nowMs).orderless(process, null, () => findOrderless(process, nowMs));

  /** Whether it comes to the same when the last event of one informer arrives after it. */
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
        const { queue, passes, views } = each.process;
        const isAll = views.every(({ pending }) => pending.length === 0);
        if (isAll && passes.length === 0 && queue.ready.length === 0)
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

/** What somebody does after what was heard. */
export const labelled = (heard: Heard, label: string, who: string): string =>
  `${heard.label(who)} ${label.replace(`${who} `, '')}`;
