import { expect, test } from 'vitest';
import type { NodeSelectorRequirement } from '../../types/core-v1-pod.ts';
import { validateNodeSelector } from './affinity.ts';

const AT = 'spec.nodeSelectorTerms[0].matchExpressions[0]';

test.each<[Partial<NodeSelectorRequirement>, string[]]>([
  [{ key: 'zone', operator: 'In', values: ['a', 'b'] }, []],
  [{ key: 'zone', operator: 'NotIn', values: [] }, [`${AT}.values`]],
  [{ key: 'zone', operator: 'Exists' }, []],
  [{ key: 'zone', operator: 'DoesNotExist', values: ['a'] }, [`${AT}.values`]],
  [{ key: 'cores', operator: 'Gt', values: ['4'] }, []],
  [{ key: 'cores', operator: 'Lt', values: ['4', '8'] }, [`${AT}.values`]],
  [{ key: 'cores', operator: 'Gt' }, [`${AT}.values`]],
  [{ key: 'c res', operator: 'Gt', values: ['4'] }, [`${AT}.key`]],
  [{ key: 'c res', operator: 'Exists' }, [`${AT}.key`]],
  [{ key: 'zone', operator: 'Near' as 'In', values: ['a'] }, [`${AT}.operator`]],
])('validateNodeSelector reports errors for the requirement %j in the fields %j', (requirement, fields) => {
  const selector = { nodeSelectorTerms: [{ matchExpressions: [requirement as NodeSelectorRequirement] }] };
  expect(validateNodeSelector(selector, 'spec').map(({ field }) => field)).toEqual(fields);
});
