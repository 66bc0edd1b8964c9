import { expect, it } from 'vitest';
import { aggregateMessages } from './aggregate-messages.ts';

it.each([
  ['a single message as it is', ['a'], 'a'],
  ['equal messages as one', ['a', 'a'], 'a'],
  ['distinct messages in order and brackets', ['b', 'a', 'b'], '[b, a]'],
  ['no messages as empty brackets', [], '[]'],
])('returns %s', (_what, messages, expected) => {
  expect(aggregateMessages(messages)).toBe(expected);
});
