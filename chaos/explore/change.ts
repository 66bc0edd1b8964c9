import type { ApiRequest } from './api-request.ts';
import type { FaultKind } from './faults.ts';
import { textOf } from './text.ts';
import type { Process } from './world.ts';

/** What may happen within a process, whatever the rest of the world is like. */
export interface Change {
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
  /** The informer that hears of it, or falls silent. */
  readonly informer?: number;
  /** Others bring it about: nothing may rely on it. */
  readonly wish?: true;
  /** Time has passed before it. */
  readonly late?: true;
}

const isSame = (a: unknown, b: unknown): boolean => a === b || textOf(a) === textOf(b);
const areSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((each, at) => isSame(each, b[at]));

/** Whether two processes are one and the same. What they have in common is most often the same object. */
export const isSameProcess = (a: Process, b: Process): boolean =>
  a === b ||
  (isSame(a.queue, b.queue) &&
    isSame(a.memory, b.memory) &&
    areSame(a.passes, b.passes) &&
    areSame(a.views, b.views));
