import type { Owner } from '../world/user.ts';
import type { Chosen, FieldValues } from './fields.ts';
import type { Making, Propagation } from './parts.ts';

/** Description of one object of a workload: its possible manifests and the actions of users on it. */
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
  /** True if a controller creates the object, so that users do not create it first; default false. */
  readonly isMaintained?: boolean;
  /**
   * Paths in `edits` that are edited more often than others. A path that is listed n times is n times as
   * likely.
   */
  readonly oftenEdited?: readonly string[];
  /** Owners of the object. */
  readonly owners?: readonly Owner[];
  /**
   * Sets of owners that the object may get later. If undefined, the object is neither adopted nor orphaned.
   */
  readonly otherOwners?: readonly (readonly Owner[])[];
  /** Moves of users; default `usualMoves`. A move that is listed n times is n times as likely. */
  readonly moves?: readonly MoveName[];
  /** Possible numbers of moves; default 0, 1 and 2. */
  readonly moveCounts?: readonly number[];
  /**
   * Returns the next time after `afterMs` at which a controller acts on the object without an event, in
   * milliseconds after the start.
   */
  readonly nextDueMs?: (afterMs: number) => number;
}

/**
 * Name of a move, which is a short sequence of user actions on an object.
 * - `edit`: changes a field
 * - `undo`: changes a field and, within a reconcile or soon after, changes it back
 * - `hold`: changes a field, and changes it back after a time at which a controller acts
 * - `change-mind`: changes a field twice
 * - `touch`: changes only a label
 * - `delete`: deletes the object under one of the propagation policies
 * - `replace`: deletes the object and recreates it under its name
 * - `withdraw`: deletes the object, recreates it and deletes it again
 * - `adopt`, `orphan`: replaces or removes the owners
 */
export type MoveName =
  'edit' | 'undo' | 'hold' | 'change-mind' | 'touch' | 'delete' | 'replace' | 'withdraw' | 'adopt' | 'orphan';

export const usualMoves: readonly MoveName[] = [
  'edit',
  'edit',
  'undo',
  'change-mind',
  'touch',
  'delete',
  'replace',
  'replace',
  'withdraw',
];

/** One action on a subject. Times are milliseconds after the start. */
export type Step = { readonly atMs: number } & (
  | { readonly step: 'create'; readonly fields: Chosen; readonly owners?: readonly Owner[] }
  | { readonly step: 'edit'; readonly fields: Chosen; readonly subresource?: string }
  | { readonly step: 'own'; readonly owners: readonly Owner[] }
  | { readonly step: 'delete'; readonly propagation?: Propagation }
);

/** Parts of a subject's actions that are fixed and not drawn. */
export interface Script {
  readonly bornMs?: number;
  /** Fields of the creation. Other fields are drawn unless `steps` is present. */
  readonly fields?: Chosen;
  /** All actions of users after the creation; by default moves are drawn. */
  readonly steps?: readonly Step[];
  /** True if a foreign finalizer holds the deleted object for a while; by default drawn. */
  readonly held?: boolean;
}

/** Returns a subject for the settings of a run. */
export type SubjectOf = (making: Making, name: string) => Subject;
