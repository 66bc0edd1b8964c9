import { expect, it } from 'vitest';
import { Slots } from './slots.ts';

it('slots reuse a released number once', () => {
  const slots = new Slots<string>();
  const [a, b] = [slots.add('a'), slots.add('b')];
  expect([slots.get(a), slots.get(b), slots.get(7)]).toEqual(['a', 'b', undefined]);
  slots.free(a);
  slots.free(a);
  slots.free(7);
  expect([slots.get(a), slots.values()]).toEqual([undefined, ['b']]);
  const [c, d] = [slots.add('c'), slots.add('d')];
  expect([c, new Set([b, c, d]).size, slots.values().sort()]).toEqual([a, 3, ['b', 'c', 'd']]);
});
