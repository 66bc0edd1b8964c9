import { describe, expect, it } from 'vitest';
import { writeJson } from '../../../api/schema/exact-json.ts';
import { encoded } from '../../registry/resource.ts';
import { type MadeList, eachInSlices, writeList } from './list-writer.ts';
import { toYaml } from '../../../api/yaml/yaml.ts';

const signal = new AbortController().signal;
const listOf = (count: number, data: object): MadeList => ({
  frame: { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '1' } },
  member: 'items',
  items: Array.from({ length: count }, (_, at) =>
    encoded(Buffer.from(JSON.stringify({ metadata: { name: `n${at}` }, data }))),
  ),
  form: (object) => ({ object, cells: ['a\nb', 1, null] }),
});
const wholeOf = ({ frame, member, items, form }: MadeList): object => ({
  ...frame,
  [member]: items.map(({ object }) => form(object)),
});
const textOf = async (list: MadeList, format: 'json' | 'pretty' | 'yaml'): Promise<string> =>
  Buffer.concat(await writeList(list, format, signal)).toString();

describe('a list written item by item', () => {
  it.each([0, 1, 3])('equals the encoded list as a whole with %i items', async (count) => {
    const list = listOf(count, { a: 'x: y', b: 'c\nd\n' });
    expect(await textOf(list, 'json')).toBe(`${writeJson(wholeOf(list))}\n`);
    expect(await textOf(list, 'pretty')).toBe(writeJson(wholeOf(list), undefined, 2));
    expect(await textOf(list, 'yaml')).toBe(toYaml(wholeOf(list)));
  });

  it.each(['json', 'pretty', 'yaml'] as const)(
    'lets other requests run between slices (format: %s)',
    async (format) => {
      const list = listOf(40, { text: 'x'.repeat(20_000) });
      let turns = 0;
      let isDone = false;
      const turn = (): void => {
        turns += 1;
        if (!isDone) setImmediate(turn);
      };
      setImmediate(turn);
      await textOf(list, format);
      isDone = true;
      expect(turns).toBeGreaterThanOrEqual(4);
    },
  );

  it('ends after the client has disconnected', async () => {
    const leaving = new AbortController();
    let met = 0;
    const { items } = listOf(40, { text: 'x'.repeat(100_000) });
    const done = eachInSlices(items, leaving.signal, () => {
      met += 1;
      if (met === 3) leaving.abort(new Error('gone'));
    });
    await expect(done).rejects.toThrow('gone');
    expect(met).toBeLessThan(6);
  });
});
