import { describe, expect, it } from 'vitest';
import { secrets } from '../../api/groups/core-v1.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSystemClock } from '../../base/clock/system.ts';
import type { ControllerDefinition } from '../../runtime/index.ts';
import { exploreController } from './explore-controller.ts';
import { subjectOf } from './scenarios/index.ts';
import { createWitness } from './witness.fixture.ts';

const subject = subjectOf('tokencleaner', orchVocabulary, 1);
if (!subject) throw new Error('the token cleaner has no workload');
const { definition, scenario } = subject;

/** Set of the versions of one object that the controller has seen. */
interface Seen {
  has(version: string): boolean;
  add(version: string): unknown;
}

/**
 * Wraps the controller so that its first reconcile of each version of a token fails. `keep` creates the
 * memory of seen versions.
 */
const doubting = (keep: () => { get(key: string): Seen }): ControllerDefinition => ({
  ...definition,
  effects: async (context) => {
    const seen = keep();
    const { store } = context.informers.of(secrets);
    const effects = await definition.effects(context);
    return {
      ...effects,
      observe: async (input: never, signal) => {
        const { key } = input as { readonly key: string };
        const version = store.get(key)?.metadata?.resourceVersion ?? '';
        const known = seen.get(key);
        if (known.has(version)) return effects['observe']?.(input, signal);
        known.add(version);
        throw new Error(`${version} is new`);
      },
    };
  },
});

/** Creates a memory that is a Map of Sets. The explorer may drop members of Sets. */
function inSets() {
  const sets = new Map<string, Set<string>>();
  return {
    get(key: string): Seen {
      const found = sets.get(key) ?? new Set<string>();
      sets.set(key, found);
      return found;
    },
  };
}

/** Creates a memory that is a Map of lists. It behaves the same, but the explorer drops no items of lists. */
function inLists() {
  const lists = new Map<string, readonly string[]>();
  return {
    get(key: string): Seen {
      const list = lists.get(key) ?? [];
      return {
        has: (version) => list.includes(version),
        add: (version) => void lists.set(key, [...list, version]),
      };
    },
  };
}

async function explored(controller: ControllerDefinition) {
  const { witness, seen } = createWitness(['/secrets']);
  const result = await exploreController({
    definition: controller,
    scenario: { ...scenario, actions: scenario.actions.slice(0, 2), invariants: [witness] },
    faults: 0,
    leaders: 1,
    lag: 1,
    maxStates: 100_000,
    clock: createSystemClock(),
  });
  return { result, seen };
}

describe('a version that no object or request names any more', () => {
  it('is dropped from sets, which preserves all commits and final objects and reduces the number of states', async () => {
    const [sets, lists] = [await explored(doubting(inSets)), await explored(doubting(inLists))];
    expect(sets.result).toMatchObject({ verdict: 'pass', ends: lists.result.ends });
    expect([...sets.seen].sort()).toEqual([...lists.seen].sort());
    expect(sets.result.states).toBeLessThan(lists.result.states);
  });
});
