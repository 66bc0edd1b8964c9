import { describe, expect, it } from 'vitest';
import type { Invariant } from '../../invariants/invariant.ts';
import { type Step, runtimeHistories } from './histories.fixture.ts';
import { runtimeInvariants } from './index.ts';

/** Evaluates one invariant on a history. Returns the violation, and whether the premise was reached. */
function judge(
  { initial, observations, onObservation }: Invariant,
  steps: readonly Step[],
): { readonly broken: string | undefined; readonly reached: boolean } {
  let state = initial();
  let broken: string | undefined;
  let reached = false;
  for (const step of steps) {
    if (observations?.includes(step.type) === false) continue;
    const found = onObservation?.(state, { process: 'manager', atMs: 0, ...step });
    if (found === undefined) continue;
    // The state must survive serialization, because it is plain JSON.
    state = JSON.parse(JSON.stringify(found.state)) as unknown;
    reached ||= found.reached === true;
    broken ??= found.broken;
  }
  return { broken, reached };
}

const invariantOf = (id: string): Invariant => {
  const found = runtimeInvariants.find((each) => each.id === id);
  if (found === undefined) throw new Error(`no invariant ${id}`);
  return found;
};

describe('runtime invariants', () => {
  describe.each(runtimeHistories)('%s, %s', (id, _, breaks, keeps) => {
    it('is violated', () => expect(judge(invariantOf(id), breaks).broken).toEqual(expect.any(String)));
    it('holds in the correct history', () => expect(judge(invariantOf(id), keeps).broken).toBeUndefined());
  });

  it.each(runtimeInvariants.map((each) => [each.id, each] as const))(
    '%s has a correct history that reaches its premise',
    (id, invariant) => {
      const own = runtimeHistories.filter(([of]) => of === id);
      expect(own.some(([, , , keeps]) => judge(invariant, keeps).reached)).toBe(true);
    },
  );
});
