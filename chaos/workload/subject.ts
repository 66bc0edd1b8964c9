import type { Owner } from '../world/user.ts';
import type { Chosen, FieldValues } from './fields.ts';
import type { Making, Propagation } from './parts.ts';

/** One object of a workload, as data: which manifests it may have, and what users may do to it. */
export interface Subject {
  readonly resource: string;
  /** Namespace; '' for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
  /** Fields that every manifest of the object has. */
  readonly base?: Readonly<Record<string, unknown>>;
  /** Fields that are drawn when the object is created. */
  readonly fields?: FieldValues;
  /** Fields that users edit; default `fields`. */
  readonly edits?: FieldValues;
  /** True if a controller creates the object, so that no user does at first; default false. */
  readonly isMaintained?: boolean;
  /** Paths of `edits` that are edited more often than others; a repeated path is even more likely. */
  readonly oftenEdited?: readonly string[];
  /** Owners of the object. */
  readonly owners?: readonly Owner[];
  /** Sets of owners that the object may get later; without any, it is neither adopted nor orphaned. */
  readonly otherOwners?: readonly (readonly Owner[])[];
  /** Moves of users; default `usualMoves`. A repeated move is as many times as likely. */
  readonly moves?: readonly MoveName[];
  /** Number of moves; default 0, 1 or 2. */
  readonly moveCounts?: readonly number[];
  /** Next time at which a controller acts on the object by itself, in milliseconds after the start. */
  readonly nextDueMs?: (afterMs: number) => number;
}

/**
 * Names of what a user does to an object.
 *
 * - `edit`: changes a field
 * - `undo`: changes a field and, within the window of a reconcile or soon after, changes it back
 * - `change-mind`: changes a field twice
 * - `touch`: changes only a label
 * - `delete`: deletes the object under one of the propagation policies
 * - `replace`: deletes and recreates the object under its name
 * - `withdraw`: deletes, recreates and deletes again
 * - `adopt`, `orphan`: replaces or removes the owners
 */
export type MoveName =
  'edit' | 'undo' | 'change-mind' | 'touch' | 'delete' | 'replace' | 'withdraw' | 'adopt' | 'orphan';

export const usualMoves: readonly MoveName[] = [
  'edit',
  'edit',
  'undo',
  'change-mind',
  'touch',
  'delete',
  'replace',
  'withdraw',
];

/** One request about a subject. Times are milliseconds after the start. */
export type Step = { readonly atMs: number } & (
  | { readonly step: 'create'; readonly fields: Chosen; readonly owners?: readonly Owner[] }
  | { readonly step: 'edit'; readonly fields: Chosen; readonly subresource?: string }
  | { readonly step: 'own'; readonly owners: readonly Owner[] }
  | { readonly step: 'delete'; readonly propagation?: Propagation }
);

/** Parts of a life that are given and not drawn. */
export interface Script {
  readonly bornMs?: number;
  /** Chosen fields; the other ones are drawn, unless `steps` are given. */
  readonly fields?: Chosen;
  /** Everything that users do after the creation; default drawn moves. */
  readonly steps?: readonly Step[];
  /** True if a foreign finalizer holds the object for a while; default drawn. */
  readonly held?: boolean;
}

/** Function that returns a subject for the settings of a run. */
export type SubjectOf = (making: Making, name: string) => Subject;
