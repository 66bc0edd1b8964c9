import { type Change, isSameProcess } from './change.ts';
import type { Noted } from './caches.ts';
import { allOf } from './effect-table.ts';
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
   * What the process does after events of the informers that are named; not what comes of answers. Undefined where an
   * event does not commute with what may happen elsewhere: then each arrives by itself.
   */
  of(
    process: Process,
    informers: readonly number[],
    nowMs: number,
    isBreakable: boolean,
  ): readonly Change[] | undefined;
}

/** A process after some of what is on its way has arrived, and how. */
interface Heard {
  readonly process: Process;
  /** For each informer, how many of its events. */
  readonly counts: readonly number[];
  label(who: string): string;
}

/** A watch falls silent while something is on its way: before, it misses nothing. */
const isVain = ({ fault, informer = -1 }: Change, { views }: Process): boolean =>
  fault === 'stall' && views[informer]?.pending.length === 0;

export function createHearing(making: StepMaking, changesOf: PossibleChangesOf): Hearing {
  const { scenario, model, processes } = making;
  const { instants, patient = false } = scenario;

  const hears = (process: Process, informer: number, nowMs: number): Noted | undefined => {
    const view = process.views[informer];
    if (!view || view.stalled || view.pending.length === 0) return undefined;
    return processes.noting(() => processes.withView(process, informer, deliver(view), nowMs));
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
        if (looked !== 0 || !outlastsTicks(before.process, informer, after, nowMs)) return undefined;
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
    of(process, informers, nowMs, isBreakable) {
      const heard = heardBy(process, informers, nowMs);
      if (!heard) return undefined;
      const all = new Map([[process.views.map(() => 0).join(), process]]);
      for (const each of heard) all.set(each.counts.join(), each.process);
      const changesAfter = (each: Heard) => (): readonly Change[] => {
        const { queue, passes, views } = each.process;
        const isAll = views.every(({ pending }) => pending.length === 0);
        if (isAll && passes.length === 0 && queue.ready.length === 0)
          return [{ label: each.label, process: each.process }];
        return changesOf(each.process, nowMs, isBreakable)
          .filter(
            (change) => !isVain(change, each.process) && !isEarly(change, each, all, nowMs, isBreakable),
          )
          .map((change) => ({
            ...change,
            label: (who) => `${each.label(who)} ${change.label(who).replace(`${who} `, '')}`,
          }));
      };
      return allOf(heard.map(changesAfter)).flat();
    },
  };
}
