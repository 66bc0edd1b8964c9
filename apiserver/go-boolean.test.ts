import { expect, it } from 'vitest';
import { parseGoBoolean } from './go-boolean.ts';

it.each([
  ['true', ['1', 't', 'T', 'true', 'TRUE', 'True'], true],
  ['false', ['0', 'f', 'F', 'false', 'FALSE', 'False'], false],
  ['undefined', [undefined, '', 'yes', 'tRUE', ' true', '01', 'null'], undefined],
])('parses to %s the strings for which strconv.ParseBool returns it', (_what, texts, expected) => {
  expect(texts.map(parseGoBoolean)).toEqual(texts.map(() => expected));
});
