import { nodes } from '../../../api/groups/core-v1.ts';
import type { DeepReadonly } from '../../../api/kinds/index.ts';
import type { Node } from '../../../api/types/core-v1-node.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { type Invariant, invariant, liveObjects, objectOf, verdict } from '../../invariants/invariant.ts';

const CONTROLLER = 'ttl';
/**
 * Number of nodes above which the shortest cache time is not used. No workload is large enough for the next
 * limit.
 */
const LARGE = 100;

/** Returns the invariants about the cache time of nodes. */
export function ttlInvariants({ key }: Vocabulary): readonly Invariant[] {
  const annotation = key('node.alpha', 'ttl');
  const valueOf = ({ metadata }: DeepReadonly<Node>): string | undefined =>
    metadata?.annotations?.[annotation];
  return [
    invariant({
      id: 'ttl/no-repeated-write',
      says: 'never writes a cache time to a node that has it already',
      controller: CONTROLLER,
      kind: 'never',
      initial: () => null,
      onCommit(state, commit) {
        const [before, after] = [objectOf(commit, nodes, 'before'), objectOf(commit, nodes, 'after')];
        if (commit.actor !== CONTROLLER || !before || !after) return verdict(state, false);
        const isSame = valueOf(before) === valueOf(after);
        return verdict(state, true, isSame ? `wrote ${commit.name} without a change` : undefined);
      },
    }),
    invariant({
      id: 'ttl/every-node-has-a-time',
      says: 'every node of a small cluster has the cache time 0',
      controller: CONTROLLER,
      kind: 'eventually',
      initial: () => null,
      atRest(state, live) {
        const all = liveObjects(live, nodes);
        if (all.length === 0 || all.length > LARGE) return verdict(state, false);
        const wrong = all.find((node) => valueOf(node) !== '0');
        return verdict(
          state,
          true,
          wrong && `node ${wrong.metadata?.name ?? ''} has the cache time ${valueOf(wrong) ?? 'none'}`,
        );
      },
    }),
  ];
}
