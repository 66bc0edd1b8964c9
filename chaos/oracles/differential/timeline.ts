import type { Commit } from '../../invariants/invariant.ts';
import type { Canon } from './canonical.ts';

/** A change by a user, to which controllers react. */
export interface Stimulus {
  readonly label: string;
  readonly atMs: number;
  /** State of the family immediately before the change. */
  readonly state: FamilyState;
}

/** Canonical states by canonical name. Several objects may share a generated name. */
export type FamilyState = ReadonlyMap<string, readonly string[]>;

/**
 * Numbers of actions of controllers between two stimuli, by object; writes are counted by object and writer.
 * Creations are not counted by writer, because a server that executes several requests at once cannot
 * attribute them.
 */
export interface Epoch {
  readonly creations: Map<string, number>;
  readonly deletions: Map<string, number>;
  readonly writes: Map<string, number>;
  /** Time of the last commit of the family in the epoch, including commits of users. */
  lastMs: number;
}

/**
 * History of a family. It has one epoch more than stimuli: one before each stimulus, and one after the last.
 */
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

/** True for a commit of a user, which is not a decision of a controller. */
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

/** Returns the first object whose states differ, and both states. Undefined if all states are equal. */
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
