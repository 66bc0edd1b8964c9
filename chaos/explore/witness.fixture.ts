import { type Commit, type Invariant, type LiveView, invariant, verdict } from '../invariants/invariant.ts';

const VERSION = /@\d+/g;
const plain = (value: unknown): string => JSON.stringify(value).replaceAll(VERSION, '');

/** Creates an invariant that records every commit and every quiescent state, without versions. */
export function createWitness(resources: readonly string[]) {
  const seen = new Set<string>();
  const note = (what: string, live: LiveView, commit?: Omit<Commit, 'step'>): void => {
    const objects = resources.map((resource) => live.list(resource));
    seen.add(`${what} ${live.nowMs} ${plain([commit, objects])}`);
  };
  const witness: Invariant = invariant({
    id: 'example/witness',
    says: 'nothing',
    controller: '*',
    kind: 'never',
    initial: () => null,
    onCommit(state, commit, live) {
      note('commit', live, commit);
      return verdict(state, true);
    },
    atRest(state, live) {
      note('rest', live);
      return verdict(state, true);
    },
  });
  return { witness, seen };
}
