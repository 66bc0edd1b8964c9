import { describe, expect, it } from 'vitest';
import type { Attributes } from '../request.ts';
import { alwaysAllow, alwaysDeny, privileged } from './fixed.ts';
import { createUnion } from './union.ts';

const attributesOf = (...groups: readonly string[]): Attributes => ({
  user: { username: 'alice', groups },
  verb: 'get',
  isResourceRequest: true,
  path: '/api/v1/namespaces/a/pods/p',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'a',
  name: 'p',
});

// A decision in a promise would make every stage of every request asynchronous.
describe('fixed authorizers', () => {
  it.each([
    ['privileged', privileged, 'no-opinion'],
    ['AlwaysAllow', alwaysAllow, 'allow'],
    ['AlwaysDeny', alwaysDeny, 'no-opinion'],
  ] as const)('decide synchronously: %s', (_name, authorizer, verdict) => {
    expect(authorizer.authorize(attributesOf('dev'))).toMatchObject({ verdict });
    expect(authorizer.authorize(attributesOf('system:masters'))).not.toBeInstanceOf(Promise);
  });

  it('allow administrators before any mode', () => {
    const union = createUnion([privileged, alwaysDeny]);
    expect(union.authorize(attributesOf('system:masters'))).toMatchObject({ verdict: 'allow' });
    expect(union.authorize(attributesOf('dev'))).toMatchObject({ verdict: 'no-opinion' });
  });
});
