import { describe, expect, it } from 'vitest';
import { type RuleSubject, matchesRule } from './rules.ts';

const pod: RuleSubject = {
  operation: 'CREATE',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'default',
};
const status = { ...pod, operation: 'UPDATE', subresource: 'status' } as const;
const node = { ...pod, resource: 'nodes', namespace: '' };
const namespace = { ...pod, resource: 'namespaces', namespace: 'default' };
const ofNamespace = { ...namespace, subresource: 'finalize' };
const named = { ...pod, group: 'example.com', resource: 'namespaces' };
const all = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] } as const;

/** Rule, request, and the expected result: whether the rule matches. */
const ROWS: readonly [object, RuleSubject, boolean][] = [
  [{}, pod, true],
  [{ operations: ['CREATE'] }, pod, true],
  [{ operations: ['UPDATE', 'DELETE'] }, pod, false],
  [{ operations: [] }, pod, false],
  [{ operations: ['CONNECT'] }, { ...pod, operation: 'CONNECT', subresource: 'exec' }, true],
  [{ apiGroups: [''] }, pod, true],
  [{ apiGroups: ['apps'] }, pod, false],
  [{ apiGroups: ['apps', ''] }, pod, true],
  [{ apiVersions: ['v1'] }, pod, true],
  [{ apiVersions: ['v2'] }, pod, false],
  [{ resources: ['pods'] }, pod, true],
  [{ resources: ['pods'] }, status, false],
  [{ resources: ['pods/status'] }, status, true],
  [{ resources: ['pods/status'] }, pod, false],
  [{ resources: ['pods/*'] }, status, true],
  [{ resources: ['*'] }, pod, true],
  [{ resources: ['*'] }, status, false],
  [{ resources: ['*/status'] }, status, true],
  [{ resources: ['*/scale'] }, status, false],
  [{ resources: ['*/*'] }, status, true],
  [{ resources: ['services', 'pods'] }, pod, true],
  [{ resources: [] }, pod, false],
  [{ scope: '*' }, pod, true],
  [{ scope: 'Namespaced' }, pod, true],
  [{ scope: 'Cluster' }, pod, false],
  [{ scope: 'Namespaced' }, node, false],
  [{ scope: 'Cluster' }, node, true],
  [{ scope: 'Namespaced' }, namespace, false],
  [{ scope: 'Cluster' }, namespace, true],
  [{ scope: 'Cluster' }, ofNamespace, true],
  [{ scope: 'Namespaced' }, named, true],
  [{ scope: 'Namespaced' }, status, true],
];

describe('webhook rule', () => {
  it.each(ROWS)('with %j matches %j: %s', (changes, subject, expected) => {
    expect(matchesRule({ ...all, ...changes } as never, subject)).toBe(expected);
  });
});
