import { describe, expect, it } from 'vitest';
import { builtinKinds } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { ControllerDefinition } from '../../runtime/index.ts';
import { createControllerModel } from './controller-model.ts';
import { type SegmentEnd, Unknown, allOf, createEffectTable } from './effect-table.ts';
import { subjectOf } from './scenarios/index.ts';
import { createVisits } from './visits.ts';

/** A controller that remembers how often it has counted a key; `look` looks at nothing of it. */
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

describe('a stretch of an effect', () => {
  it('that looks into the memory is run for each that there is, and says what is in it afterwards', async () => {
    const { table, run, empty } = await tableOfCounter();
    const first = await run('count', empty);
    expect(first).toMatchObject({ end: { output: 1 }, memory: [[['a', 1]]] });
    expect(await run('count', first.memory)).toMatchObject({ end: { output: 2 }, memory: [[['a', 2]]] });
    expect(await run('count', empty)).toEqual(first);
    expect(table.size).toBe(2);
  });

  it('that does not look into it is run once, whatever is remembered, and leaves it as it is', async () => {
    const { table, run, empty } = await tableOfCounter();
    const first = await run('look', empty);
    expect(first).toMatchObject({ end: { output: 'nothing' } });
    expect(first).not.toHaveProperty('memory');
    expect(await run('look', [[['a', 7]]])).toBe(first);
    expect(table.size).toBe(1);
  });
});

describe('things to do of which some are unknown', () => {
  it('are all tried, and all that is unknown is run before any is done again', async () => {
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

  it('an error is thrown as it is', () => {
    const broken = () => {
      throw new Error('out of order');
    };
    expect(() => allOf([broken])).toThrow('out of order');
  });
});
