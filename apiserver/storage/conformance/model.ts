import fc from 'fast-check';
import { expect, it } from 'vitest';
import { StorageConflict } from '../storage.ts';
import { bytes, type Fresh } from './store.ts';

/** Defines the property test of a store against a plain map. */
export function describeModel(fresh: Fresh): void {
  const keys = ['/a/x', '/a/y', '/a/y/z', '/b/x', '/b/y'];
  const operation = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        type: fc.constant('put' as const),
        key: fc.constantFrom(...keys),
        stale: fc.boolean(),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constant('delete' as const),
        key: fc.constantFrom(...keys),
        stale: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('compact' as const), back: fc.nat(5) }) },
  );

  it('returns the same state after any sequence of writes as a plain map that copies every state', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 40 }), async (operations) => {
        const storage = await fresh();
        const states: ReadonlyMap<string, string>[] = [new Map()];
        const revisions = new Map<string, number>();
        const watched = new Map<string, string>();
        await storage.watch('/a/', 0, {
          onChange: ({ type, key, value }) =>
            void (type === 'put' ? watched.set(key, value.toString()) : watched.delete(key)),
          onEnd: () => {},
        });
        let compacted = 0;
        for (const step of operations) {
          const newest = states.length - 1;
          if (step.type === 'compact') {
            const revision = Math.max(0, newest - step.back);
            await storage.compact(revision);
            compacted = Math.max(compacted, revision);
            continue;
          }
          const at = revisions.get(step.key);
          const expected = step.stale ? 1_000_000 : at;
          const done = await (
            step.type === 'put'
              ? storage.put(step.key, bytes('v'), expected ?? 'absent')
              : storage.delete(step.key, expected ?? 1_000_000)
          ).catch((thrown: unknown) => thrown);
          const valid = !step.stale && (step.type === 'put' || at !== undefined);
          expect(done instanceof StorageConflict).toBe(!valid);
          if (!valid) continue;
          const state = new Map(states[newest]);
          if (step.type === 'put') state.set(step.key, `${newest + 1}|v`);
          else state.delete(step.key);
          if (step.type === 'put') revisions.set(step.key, newest + 1);
          else revisions.delete(step.key);
          states.push(state);
        }
        for (const [revision, state] of states.entries()) {
          const listed = storage.list('/a/', { revision });
          if (revision < compacted) await expect(listed).rejects.toMatchObject({ code: 'ERR_COMPACTED' });
          else {
            const wanted = [...state].filter(([key]) => key.startsWith('/a/')).sort();
            expect((await listed).items.map(({ key, value }) => [key, value.toString()])).toEqual(wanted);
          }
        }
        expect([...watched].sort()).toEqual(
          [...(states.at(-1) ?? [])].filter(([key]) => key.startsWith('/a/')).sort(),
        );
        await storage.close();
      }),
      { numRuns: 25 },
    );
  });
}
