import { describe, expect, it } from 'vitest';
import { builtinKinds } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { ControllerDefinition } from '../../runtime/index.ts';
import { createControllerModel } from './controller-model.ts';
import { type SegmentEnd, Unknown, allOf, createEffectTable } from './effect-table.ts';
import { subjectOf } from './scenarios/index.ts';
import { createVisits } from './visits.ts';

/**
 * Creates the effect table of a controller that counts keys in its memory. The effect `look` does not read
 * the memory.
 */
async function tableOfCounter() {
  const { definition } = subjectOf('tokencleaner', orchVocabulary, 1) ?? {};
  if (!definition) throw new Error('no controller');
  const counter: ControllerDefinition = {
    ...definition,
    effects: () => {
      const counts = new Map<string, number>();
      return {
        count: async ({ key }: { readonly key: string }) => {
          counts.set(key, (counts.get(key) ?? 0) + 1);
          return counts.get(key);
        },
        look: async () => 'nothing',
      };
    },
  };
  const model = await createControllerModel({
    definition: counter,
    scheme: createScheme(orchVocabulary, builtinKinds),
    answer: () => ({ ok: null }),
    onTouch: () => {},
    visits: createVisits(),
    conditions: false,
  });
  const table = createEffectTable(model);
  const run = async (effect: string, memory: unknown): Promise<SegmentEnd> => {
    const next = () =>
      table.next({ effect, input: { key: 'a' }, log: [] }, undefined, memory, () => undefined);
    try {
      return next();
    } catch (thrown) {
      if (!(thrown instanceof Unknown)) throw thrown;
      await thrown.run();
      return next();
    }
  };
  return { table, run, empty: model.memory.save() };
}

describe('a segment of an effect', () => {
  it('that reads the memory runs once for each memory and records the memory after the run', async () => {
    const { table, run, empty } = await tableOfCounter();
    const first = await run('count', empty);
    expect(first).toMatchObject({ end: { output: 1 }, memory: [[['a', 1]]] });
    expect(await run('count', first.memory)).toMatchObject({ end: { output: 2 }, memory: [[['a', 2]]] });
    expect(await run('count', empty)).toEqual(first);
    expect(table.size).toBe(2);
  });

  it('that does not read the memory runs once for all memories and does not change them', async () => {
    const { table, run, empty } = await tableOfCounter();
    const first = await run('look', empty);
    expect(first).toMatchObject({ end: { output: 'nothing' } });
    expect(first).not.toHaveProperty('memory');
    expect(await run('look', [[['a', 7]]])).toBe(first);
    expect(table.size).toBe(1);
  });
});

describe('a list of computations', () => {
  it('is evaluated completely, and all unknown results are computed before any retry', async () => {
    const ran: string[] = [];
    const unknown = (name: string) => () => {
      throw new Unknown(async () => void ran.push(name));
    };
    expect(allOf([() => 1, () => 2])).toEqual([1, 2]);
    const thrown = (() => {
      try {
        return allOf([unknown('a'), () => 1, unknown('b')]);
      } catch (error) {
        return error;
      }
    })();
    expect(thrown).toBeInstanceOf(Unknown);
    if (thrown instanceof Unknown) await thrown.run();
    expect(ran).toEqual(['a', 'b']);
  });

  it('rethrows errors', () => {
    const broken = () => {
      throw new Error('out of order');
    };
    expect(() => allOf([broken])).toThrow('out of order');
  });
});
