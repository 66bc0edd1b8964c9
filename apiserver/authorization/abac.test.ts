import { describe, expect, it } from 'vitest';
import type { UserInfo } from '../../api/kinds/kind.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { Attributes } from '../request.ts';
import { parseAbacPolicies } from './abac-policy.ts';
import { createAbacAuthorizer } from './abac.ts';

const alice: UserInfo = { username: 'alice', groups: ['devs', 'system:authenticated'] };
const anonymous: UserInfo = { username: 'system:anonymous', groups: ['system:unauthenticated'] };
const parse = (text: string) => parseAbacPolicies(text, '/p.jsonl', kubernetesVocabulary);
const versioned = (spec: object): string =>
  JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec });
const authorizer = (...lines: readonly string[]) => createAbacAuthorizer(parse(lines.join('\n')).policies);

const attributesOf = (user: UserInfo, over: Partial<Attributes> = {}): Attributes => ({
  user,
  verb: 'get',
  isResourceRequest: true,
  path: '',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'ns',
  name: 'web',
  ...over,
});
const path = (text: string, verb = 'get'): Partial<Attributes> => ({
  isResourceRequest: false,
  path: text,
  verb,
  resource: '',
  namespace: '',
  name: '',
});

const all = { namespace: '*', resource: '*', apiGroup: '*' };

describe('ABAC authorizer', () => {
  it.each<[string, object, UserInfo, Partial<Attributes>, boolean]>([
    ['its user', { user: 'alice', ...all }, alice, {}, true],
    ['another user', { user: 'bob', ...all }, alice, {}, false],
    ['a group of the user', { group: 'devs', ...all }, alice, {}, true],
    ['another group', { group: 'ops', ...all }, alice, {}, false],
    ['a matching user and group', { user: 'alice', group: 'devs', ...all }, alice, {}, true],
    ['a matching user and another group', { user: 'alice', group: 'ops', ...all }, alice, {}, false],
    ['neither user nor group', { ...all }, alice, {}, false],
    ['any user', { user: '*', ...all }, alice, {}, true],
    ['any user, for an anonymous one', { user: '*', ...all }, anonymous, {}, false],
    ['any group, for an anonymous user', { group: '*', ...all }, anonymous, {}, false],
    ['the group of authenticated users', { group: 'system:authenticated', ...all }, alice, {}, true],
    ['the group of unauthenticated users', { group: 'system:unauthenticated', ...all }, anonymous, {}, true],
    ['its namespace', { user: 'alice', ...all, namespace: 'ns' }, alice, {}, true],
    ['another namespace', { user: 'alice', ...all, namespace: 'x' }, alice, {}, false],
    ['no namespace', { user: 'alice', resource: '*', apiGroup: '*' }, alice, {}, false],
    [
      'no namespace, for a cluster-scoped resource',
      { user: 'alice', resource: '*', apiGroup: '*' },
      alice,
      { resource: 'nodes', namespace: '' },
      true,
    ],
    ['its resource', { user: 'alice', ...all, resource: 'pods' }, alice, {}, true],
    [
      'its resource, for a subresource',
      { user: 'alice', ...all, resource: 'pods' },
      alice,
      { subresource: 'log' },
      true,
    ],
    ['another resource', { user: 'alice', ...all, resource: 'secrets' }, alice, {}, false],
    ['another API group', { user: 'alice', ...all, apiGroup: 'apps' }, alice, {}, false],
    ['an empty API group, for the core group', { user: 'alice', ...all, apiGroup: '' }, alice, {}, true],
    ['reads, for a watch', { user: 'alice', ...all, readonly: true }, alice, { verb: 'watch' }, true],
    ['reads, for a write', { user: 'alice', ...all, readonly: true }, alice, { verb: 'delete' }, false],
    ['resources, for a path', { user: 'alice', ...all }, alice, path('/metrics'), false],
    ['its path', { user: 'alice', nonResourcePath: '/metrics' }, alice, path('/metrics'), true],
    [
      'a path, for one below it',
      { user: 'alice', nonResourcePath: '/metrics' },
      alice,
      path('/metrics/x'),
      false,
    ],
    ['a path prefix', { user: 'alice', nonResourcePath: '/logs/*' }, alice, path('/logs/x'), true],
    ['another path prefix', { user: 'alice', nonResourcePath: '/logs/*' }, alice, path('/metrics'), false],
    ['every path', { user: 'alice', nonResourcePath: '*' }, alice, path('/metrics', 'post'), true],
    ['paths, for a resource', { user: 'alice', nonResourcePath: '*' }, alice, {}, false],
    ['resources, for an empty path', { user: 'alice', ...all }, alice, path(''), false],
  ])('decides on a request by a policy for %s', async (_what, spec, user, over, allowed) => {
    expect(await authorizer(versioned(spec)).authorize(attributesOf(user, over))).toEqual(
      allowed ? { verdict: 'allow', reason: '' } : { verdict: 'no-opinion', reason: 'No policy matched.' },
    );
  });

  it.each<[string, string, UserInfo, Partial<Attributes>, boolean]>([
    ['{}', 'allows authenticated users everything', alice, { verb: 'delete' }, true],
    ['{}', 'allows every path', alice, path('/metrics'), true],
    ['{}', 'allows anonymous users nothing', anonymous, {}, false],
    ['{"user":"alice"}', 'allows all API groups', alice, { group: 'apps' }, true],
    ['{"user":"alice"}', 'allows other users nothing', { username: 'bob', groups: [] }, {}, false],
    ['{"user":"*"}', 'allows all authenticated users', alice, {}, true],
    ['{"namespace":"ns"}', 'allows its namespace', alice, {}, true],
    ['{"namespace":"ns"}', 'allows no path', alice, path('/metrics'), false],
    ['{"resource":"pods"}', 'allows its resource', alice, {}, true],
    ['{"resource":"pods"}', 'allows no path', alice, path('/metrics'), false],
    ['{"readonly":true}', 'allows only reads', alice, { verb: 'create' }, false],
  ])('decides by a policy of the oldest format (%s): %s', async (line, _what, user, over, allowed) => {
    expect((await authorizer(line).authorize(attributesOf(user, over))).verdict).toBe(
      allowed ? 'allow' : 'no-opinion',
    );
  });

  it('skips comments and empty lines, and counts lines without a version', () => {
    const { policies, unversionedLines } = parse(
      `# who may\n\n  \n${versioned({ user: 'a' })}\n{"user":"b"}\r\n`,
    );
    expect(policies.map(({ user }) => user)).toEqual(['a', 'b']);
    expect(unversionedLines).toBe(1);
  });

  it.each([
    ['{"user":"a"}\n{', /^error reading policy file \/p\.jsonl, line 2: \{: /],
    ['[]', 'error reading policy file /p.jsonl, line 1: []: expected one JSON object'],
    ['{"user":1}', 'error reading policy file /p.jsonl, line 1: {"user":1}: user must be a string'],
    ['{"readonly":"yes"}', 'line 1: {"readonly":"yes"}: readonly must be true or false'],
    [
      '{"kind":"Policy","apiVersion":"v1"}',
      'unrecognized object: expected kind Policy of abac.authorization.kubernetes.io/v1beta1',
    ],
  ])('reports the line of an error: %s', (text, message) => {
    expect(() => parse(text)).toThrow(message);
  });

  it('lists the rules of a user in a namespace', async () => {
    const rules = authorizer(
      versioned({ user: 'alice', namespace: 'ns', resource: 'pods', apiGroup: '', readonly: true }),
      versioned({ user: 'alice', namespace: 'x', resource: 'secrets' }),
      versioned({ group: 'devs', namespace: '*', nonResourcePath: '/logs/*' }),
      versioned({ user: 'bob', ...all }),
    ).rules?.(alice, 'ns');
    expect(await rules).toEqual({
      resourceRules: [
        { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'], resourceNames: [] },
      ],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/logs/*'] }],
      incomplete: false,
      error: '',
    });
  });
});
