import type { Commit } from '../../invariants/invariant.ts';
import type { Canon } from './canonical.ts';

/** A change by a user, which controllers react to. */
export interface Stimulus {
  readonly label: string;
  readonly atMs: number;
  /** State of the family just before. */
  readonly state: FamilyState;
}

/** Canonical states by canonical name; several objects may have one generated name. */
export type FamilyState = ReadonlyMap<string, readonly string[]>;

/**
 * Actions of controllers between two stimuli, counted by object; writes also by writer. A server that carries out
 * several requests at once cannot say by which of them an object was created.
 */
export interface Epoch {
  readonly creations: Map<string, number>;
  readonly deletions: Map<string, number>;
  readonly writes: Map<string, number>;
  /** Time of the last commit of the family in it, users' included. */
  lastMs: number;
}

/** History of a family: an epoch before each stimulus and one after the last. */
export interface FamilyHistory {
  readonly stimuli: readonly Stimulus[];
  readonly epochs: readonly Epoch[];
  readonly end: FamilyState;
}

const createEpoch = (atMs: number): Epoch => ({
  creations: new Map(),
  deletions: new Map(),
  writes: new Map(),
  lastMs: atMs,
});

const count = (counts: Map<string, number>, name: string): void =>
  void counts.set(name, (counts.get(name) ?? 0) + 1);

const isEnding = (object: Commit['after']): boolean =>
  object === undefined || object.metadata?.deletionTimestamp !== undefined;

/** Actors whose changes are not decisions of controllers. */
const isUser = ({ actor }: Commit): boolean => actor === 'user';

/** Divides the commits of one family into epochs. */
export function divide(commits: readonly Commit[], canon: Canon): FamilyHistory {
  const objects = new Map<string, Map<string, string>>();
  const stimuli: Stimulus[] = [];
  const epochs: Epoch[] = [createEpoch(commits[0]?.atMs ?? 0)];
  for (const commit of commits) {
    const name = canon.nameOf(commit);
    let epoch = epochs.at(-1) as Epoch;
    if (isUser(commit)) {
      stimuli.push({ label: labelOf(commit, name), atMs: commit.atMs, state: stateOf(objects) });
      epochs.push((epoch = createEpoch(commit.atMs)));
    } else note(epoch, commit, name);
    epoch.lastMs = commit.atMs;
    const states = objects.get(name) ?? new Map<string, string>();
    objects.set(name, states);
    if (commit.after === undefined) states.delete(commit.uid);
    else states.set(commit.uid, canon.stateOf(commit.after));
  }
  return { stimuli, epochs, end: stateOf(objects) };
}

function note({ creations, deletions, writes }: Epoch, { actor, before, after }: Commit, name: string): void {
  if (before === undefined) count(creations, name);
  else if (isEnding(after) && !isEnding(before)) count(deletions, name);
  else if (after !== undefined) count(writes, `${name} by ${actor}`);
}

const labelOf = ({ verb, subresource = '', after }: Commit, name: string): string => {
  const { status } = (after ?? {}) as { readonly status?: { readonly phase?: string } };
  return `${verb} ${name} ${subresource} ${subresource === '' ? '' : (status?.phase ?? '')}`.trim();
};

function stateOf(objects: ReadonlyMap<string, ReadonlyMap<string, string>>): FamilyState {
  return new Map(
    [...objects].flatMap(([name, states]) =>
      states.size === 0 ? [] : [[name, [...states.values()].sort()]],
    ),
  );
}

/** Returns the first object whose states differ, with both; undefined for equal states. */
export function differenceOf(
  calm: FamilyState,
  faulty: FamilyState,
):
  | { readonly name: string; readonly calm: readonly string[]; readonly faulty: readonly string[] }
  | undefined {
  for (const name of new Set([...calm.keys(), ...faulty.keys()])) {
    const [a, b] = [calm.get(name) ?? [], faulty.get(name) ?? []];
    if (a.length !== b.length || a.some((state, i) => state !== b[i])) return { name, calm: a, faulty: b };
  }
  return undefined;
}
