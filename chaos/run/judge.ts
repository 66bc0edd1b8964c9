import { messageOf } from '../../base/errors/index.ts';
import type { HappeningType, Observation } from '../oracles/runtime/observation.ts';
import {
  type Commit,
  type EntryKind,
  type Invariant,
  type LiveView,
  type ProcessEntry,
  type InvariantResult,
  entryKindOf,
} from '../invariants/invariant.ts';

/** Statistics of one invariant over one or several runs. */
export interface Tally {
  readonly id: string;
  readonly says: string;
  /** Number of evaluations, and number of evaluations that reached the premise. */
  readonly checked: number;
  readonly reached: number;
  readonly broken: number;
}

/** A violated invariant. */
export interface Failure {
  readonly id: string;
  readonly says: string;
  /** Sentence about the violation: the forbidden change, or the missing one. */
  readonly broken: string;
  readonly step: number;
  /** Virtual milliseconds since the start. */
  readonly atMs: number;
  /** The violating commit. Undefined if the violation is a missing change. */
  readonly commit?: Commit;
}

/** Evaluates all invariants on each commit, and again when the world is quiescent. */
export interface Judge {
  /** The first violation. */
  readonly failure: Failure | undefined;
  onCommit(commit: Commit, live: LiveView): void;
  atRest(live: LiveView): void;
  /** Called instead of `onCommit` after the controllers were restarted in a quiescent world. */
  onRestart(commit: Commit, live: LiveView): void;
  /** Called instead of `onCommit` after all keys were enqueued again in a quiescent world. */
  onRepeat(commit: Commit, live: LiveView): void;
  onEntry(entry: ProcessEntry): void;
  onObservation(observation: Observation): void;
  /** True if an invariant handles journal entries of the kind. */
  handles(kind: EntryKind): boolean;
  tallies(): readonly Tally[];
}

const uniform = new WeakMap<Invariant, Invariant>();

/**
 * Returns the invariant with all optional members present. Calls at every commit are faster if all invariants
 * have the same shape.
 */
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
    observations: invariant.observations,
    initial: invariant.initial,
    onCommit: invariant.onCommit,
    onRestart: invariant.onRestart,
    onRepeat: invariant.onRepeat,
    onEntry: invariant.onEntry,
    onObservation: invariant.onObservation,
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

/** Evaluates an invariant. Undefined if the invariant does not handle the event. */
type Question = (invariant: Invariant, state: unknown) => InvariantResult<unknown> | undefined;

type Now = () => { readonly step: number; readonly atMs: number };

/** Creates a judge. `now` returns the number of the step and the virtual time since the start. */
export const createJudge = (invariants: readonly Invariant[], now: Now): Judge =>
  new RunJudge(invariants, now);

class RunJudge implements Judge {
  readonly #now: Now;
  readonly #all: readonly Held[];
  readonly #atCommit: readonly Held[];
  /** Invariants of `#atCommit` by actor and resource. */
  readonly #looking = new Map<string, readonly Held[]>();
  readonly #atEntry: readonly Held[];
  /** Invariants of `#atEntry` by entry kind. */
  readonly #handling = new Map<EntryKind, readonly Held[]>();
  /** Invariants with `onObservation` by the type of observation. */
  readonly #observing = new Map<HappeningType, readonly Held[]>();
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
    this.#ask(this.#handlingOf(entryKindOf(entry)), (invariant, state) => invariant.onEntry?.(state, entry));
  }

  onObservation(observation: Observation): void {
    const { type } = observation;
    let asked = this.#observing.get(type);
    if (asked === undefined) {
      asked = this.#all.filter(
        ({ invariant: { onObservation, observations } }) =>
          onObservation !== undefined && (observations?.includes(type) ?? true),
      );
      this.#observing.set(type, asked);
    }
    this.#ask(asked, (invariant, state) => invariant.onObservation?.(state, observation));
  }

  handles(kind: EntryKind): boolean {
    return this.#handlingOf(kind).length > 0;
  }

  #handlingOf(kind: EntryKind): readonly Held[] {
    const known =
      this.#handling.get(kind) ??
      this.#atEntry.filter(({ invariant: { entries } }) => entries?.includes(kind) ?? true);
    this.#handling.set(kind, known);
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

  /** Asks one question of several invariants. This is the hottest path of a run. */
  #ask(asked: readonly Held[], question: Question, commit?: Commit): void {
    for (const held of asked) {
      let judged: InvariantResult<unknown> | undefined;
      try {
        judged = question(held.invariant, held.state);
      } catch (thrown) {
        // An invariant that throws counts as violated.
        judged = { state: held.state, broken: `the invariant threw an error: ${messageOf(thrown)}` };
      }
      if (judged !== undefined) this.#take(held, judged, commit);
    }
  }

  #take(held: Held, judged: InvariantResult<unknown>, commit: Commit | undefined): void {
    const { id, says } = held.invariant;
    held.state = judged.state;
    held.checked++;
    if (judged.reached === true) held.reached++;
    if (judged.broken === undefined) return;
    held.broken++;
    this.failure ??= { id, says, broken: judged.broken, ...this.#now(), ...(commit && { commit }) };
  }
}
