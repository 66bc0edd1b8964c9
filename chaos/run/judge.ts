import { messageOf } from '../../base/errors/coded.ts';
import type { Commit, Invariant, LiveView, ProcessEntry, Verdict } from '../invariants/invariant.ts';

/** What became of one invariant in one or several runs. */
export interface Tally {
  readonly id: string;
  readonly says: string;
  /** How often it was judged, and how often its premise had come up. */
  readonly checked: number;
  readonly reached: number;
  readonly broken: number;
}

/** An invariant that was broken, and by what. */
export interface Failure {
  readonly id: string;
  readonly says: string;
  /** What was done that must never be, or is missing that must come. */
  readonly broken: string;
  readonly step: number;
  /** Since the start, virtual milliseconds. */
  readonly atMs: number;
  /** The change that broke it; none where something has not come. */
  readonly commit?: Commit;
}

/** Asks every invariant about every change, and at the end. */
export interface Judge {
  /** The first that was broken. */
  readonly failure: Failure | undefined;
  onCommit(commit: Commit, live: LiveView): void;
  atRest(live: LiveView): void;
  /** In place of `onCommit` once the controllers were started anew at rest. */
  onRestart(commit: Commit, live: LiveView): void;
  /** In place of `onCommit` once every key was brought up again at rest. */
  onRepeat(commit: Commit, live: LiveView): void;
  onEntry(entry: ProcessEntry): void;
  tallies(): readonly Tally[];
}

interface Held {
  readonly invariant: Invariant;
  state: unknown;
  checked: number;
  reached: number;
  broken: number;
}

/** What an invariant is asked; undefined where it has nothing to say. */
type Question = (invariant: Invariant, state: unknown) => Verdict<unknown> | undefined;

type Now = () => { readonly step: number; readonly atMs: number };

/** `now` gives the step and the virtual time since the start. */
export const createJudge = (invariants: readonly Invariant[], now: Now): Judge =>
  new RunJudge(invariants, now);

class RunJudge implements Judge {
  readonly #now: Now;
  readonly #all: readonly Held[];
  readonly #atCommit: readonly Held[];
  readonly #atEntry: readonly Held[];
  failure: Failure | undefined;

  constructor(invariants: readonly Invariant[], now: Now) {
    this.#now = now;
    this.#all = invariants.map((invariant) => ({
      invariant,
      state: invariant.initial(),
      checked: 0,
      reached: 0,
      broken: 0,
    }));
    this.#atCommit = this.#all.filter(({ invariant }) => invariant.onCommit !== undefined);
    this.#atEntry = this.#all.filter(({ invariant }) => invariant.onEntry !== undefined);
  }

  onCommit(commit: Commit, live: LiveView): void {
    this.#ask(this.#atCommit, (invariant, state) => invariant.onCommit?.(state, commit, live), commit);
  }

  atRest(live: LiveView): void {
    this.#ask(this.#all, (invariant, state) => invariant.atRest?.(state, live));
  }

  onRestart(commit: Commit, live: LiveView): void {
    this.#ask(this.#all, (invariant, state) => invariant.onRestart?.(state, commit, live), commit);
  }

  onRepeat(commit: Commit, live: LiveView): void {
    this.#ask(this.#all, (invariant, state) => invariant.onRepeat?.(state, commit, live), commit);
  }

  onEntry(entry: ProcessEntry): void {
    this.#ask(this.#atEntry, (invariant, state) => invariant.onEntry?.(state, entry));
  }

  tallies(): readonly Tally[] {
    return this.#all.map(({ invariant: { id, says }, checked, reached, broken }) => ({
      id,
      says,
      checked,
      reached,
      broken,
    }));
  }

  /** One question for all of them: a run asks some of them more often than it does anything else. */
  #ask(asked: readonly Held[], question: Question, commit?: Commit): void {
    for (const held of asked) {
      let judged: Verdict<unknown> | undefined;
      try {
        judged = question(held.invariant, held.state);
      } catch (thrown) {
        // An invariant that cannot be judged holds for nobody.
        judged = { state: held.state, broken: `it could not be judged: ${messageOf(thrown)}` };
      }
      if (judged !== undefined) this.#take(held, judged, commit);
    }
  }

  #take(held: Held, judged: Verdict<unknown>, commit: Commit | undefined): void {
    const { id, says } = held.invariant;
    held.state = judged.state;
    held.checked++;
    if (judged.reached === true) held.reached++;
    if (judged.broken === undefined) return;
    held.broken++;
    this.failure ??= { id, says, broken: judged.broken, ...this.#now(), ...(commit && { commit }) };
  }
}
