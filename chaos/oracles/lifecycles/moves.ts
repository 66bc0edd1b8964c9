import { type Lifecycle, lifecycles, projected } from '../../../api/lifecycles/index.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { type Commit, resourceOf } from '../../invariants/invariant.ts';

/** Step of an object from one state of a lifecycle to another by one commit. */
export interface Move {
  readonly lifecycle: Lifecycle;
  readonly from: string;
  readonly to: string;
}

const ofEveryKind = lifecycles.filter(({ kind }) => kind === undefined);

/** Lifecycles by the resource of their objects, those of every kind included. */
const byResource = new Map<string, readonly Lifecycle[]>();
for (const { kind } of lifecycles) {
  if (kind === undefined) continue;
  const resource = resourceOf(kind);
  const own = lifecycles.filter((each) => each.kind !== undefined && resourceOf(each.kind) === resource);
  byResource.set(resource, [...own, ...ofEveryKind]);
}

/**
 * Returns the moves that a commit makes. Both versions of the object are projected at the time of the commit, so
 * that the progress of the clock between two commits is no move.
 */
export function movesOf({ resource, before, after, atMs }: Commit, vocabulary: Vocabulary): readonly Move[] {
  const context = { nowMs: atMs, vocabulary };
  const moves: Move[] = [];
  for (const lifecycle of byResource.get(resource) ?? ofEveryKind) {
    const from = projected(lifecycle, before, context);
    const to = after === undefined ? 'deleted' : projected(lifecycle, after, context);
    if (from !== undefined && to !== undefined && from !== to) moves.push({ lifecycle, from, to });
  }
  return moves;
}
