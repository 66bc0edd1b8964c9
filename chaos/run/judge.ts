import { messageOf } from '../../base/errors/coded.ts';
import {
  type Commit,
  type EntryKind,
  type Invariant,
  type LiveView,
  type ProcessEntry,
  type Verdict,
  entryKindOf,
} from '../invariants/invariant.ts';

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
  /** Whether any invariant looks at such entries. */
  heeds(kind: EntryKind): boolean;
  tallies(): readonly Tally[];
}

const uniform = new WeakMap<Invariant, Invariant>();

/** An invariant with all members there are: asked at every commit, they are found at once where all have one shape. */
function withAllMembers(invariant: Invariant): Invariant {
  const known = uniform.get(invariant);
  if (known !== undefined) return known;
  const made = {
    id: invariant.id,
    says: invariant.says,
    controller: invariant.controller,
    kind: invariant.kind,
    unless: invariant.unless,
    resources: invariant.resources,
    entries: invariant.entries,
    initial: invariant.initial,
    onCommit: invariant.onCommit,
    onRestart: invariant.onRestart,
    onRepeat: invariant.onRepeat,
    onEntry: invariant.onEntry,
    atRest: invariant.atRest,
  } as Invariant;
  uniform.set(invariant, made);
  return made;
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
  /** Those of `#atCommit` that look at commits of an actor, by resource. */
  readonly #looking = new Map<string, readonly Held[]>();
  readonly #atEntry: readonly Held[];
  /** Those of `#atEntry` that look at entries of a kind. */
  readonly #heeding = new Map<EntryKind, readonly Held[]>();
  failure: Failure | undefined;

  constructor(invariants: readonly Invariant[], now: Now) {
    this.#now = now;
    this.#all = invariants.map(withAllMembers).map((invariant) => ({
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
    this.#ask(
      this.#lookingAt(commit),
      (invariant, state) => invariant.onCommit?.(state, commit, live),
      commit,
    );
  }

  #lookingAt({ actor, resource }: Commit): readonly Held[] {
    const name = `${actor} ${resource}`;
    const known =
      this.#looking.get(name) ??
      this.#atCommit.filter(
        ({ invariant: { controller, resources } }) =>
          resources === undefined || controller === actor || resources.includes(resource),
      );
    this.#looking.set(name, known);
    return known;
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
    this.#ask(this.#heedingOf(entryKindOf(entry)), (invariant, state) => invariant.onEntry?.(state, entry));
  }

  heeds(kind: EntryKind): boolean {
    return this.#heedingOf(kind).length > 0;
  }

  #heedingOf(kind: EntryKind): readonly Held[] {
    const known =
      this.#heeding.get(kind) ??
      this.#atEntry.filter(({ invariant: { entries } }) => entries?.includes(kind) ?? true);
    this.#heeding.set(kind, known);
    return known;
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
