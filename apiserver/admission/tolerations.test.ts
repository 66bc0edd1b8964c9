import { describe, expect, it } from 'vitest';
import type { Toleration } from '../../api/types/core-v1-pod.ts';
import { areAllowed, mergeTolerations } from './tolerations.ts';

const equal = (key: string, value: string, effect?: Toleration['effect']): Toleration => ({
  key,
  operator: 'Equal',
  value,
  ...(effect && { effect }),
});
const exists = (key?: string, effect?: Toleration['effect'], tolerationSeconds?: number): Toleration => ({
  ...(key !== undefined && { key }),
  operator: 'Exists',
  ...(effect && { effect }),
  ...(tolerationSeconds !== undefined && { tolerationSeconds }),
});

describe('mergeTolerations', () => {
  it.each<[string, Toleration[], Toleration[], Toleration[]]>([
    [
      'all different tolerations',
      [equal('a', '1')],
      [equal('a', '2'), exists('b')],
      [equal('a', '1'), equal('a', '2'), exists('b')],
    ],
    ['the first of two equal ones', [equal('a', '1')], [equal('a', '1')], [equal('a', '1')]],
    ['the wider of two keys', [equal('a', '1'), exists('a')], [], [exists('a')]],
    ['one for every key', [equal('a', '1', 'NoSchedule'), exists('b')], [exists()], [exists()]],
    ['one for every effect', [equal('a', '1', 'NoSchedule')], [equal('a', '1')], [equal('a', '1')]],
    [
      'different effects',
      [exists('a', 'NoSchedule')],
      [exists('a', 'NoExecute')],
      [exists('a', 'NoSchedule'), exists('a', 'NoExecute')],
    ],
    [
      'the longer time',
      [exists('a', 'NoExecute', 5)],
      [exists('a', 'NoExecute', 9)],
      [exists('a', 'NoExecute', 9)],
    ],
    [
      'the unlimited time',
      [exists('a', 'NoExecute', 5)],
      [exists('a', 'NoExecute')],
      [exists('a', 'NoExecute')],
    ],
  ])('returns %s', (_what, first, second, expected) => {
    expect(mergeTolerations(first, second)).toEqual(expected);
  });
});

describe('areAllowed', () => {
  it.each<[boolean, Toleration[], Toleration[]]>([
    [true, [exists()], []],
    [true, [], [equal('a', '1')]],
    [true, [equal('a', '1', 'NoSchedule')], [exists('a')]],
    [false, [exists('a')], [equal('a', '1')]],
    [false, [equal('a', '1'), exists('b')], [exists('a')]],
  ])('returns %s', (expected, tolerations, allowed) => {
    expect(areAllowed(tolerations, allowed)).toBe(expected);
  });
});
