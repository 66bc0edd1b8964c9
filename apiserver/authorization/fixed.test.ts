import { describe, expect, it } from 'vitest';
import type { Attributes } from '../request.ts';
import { alwaysAllow, alwaysDeny, privileged } from './fixed.ts';
import { createUnion } from './union.ts';

const asked = (...groups: readonly string[]): Attributes => ({
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

// A promise here makes every stage of every request wait.
describe('fixed authorizers, alone and in a union, decide at once', () => {
  it.each([
    ['privileged', privileged, 'no-opinion'],
    ['AlwaysAllow', alwaysAllow, 'allow'],
    ['AlwaysDeny', alwaysDeny, 'no-opinion'],
  ] as const)('%s', (_name, authorizer, verdict) => {
    expect(authorizer.authorize(asked('dev'))).toMatchObject({ verdict });
    expect(authorizer.authorize(asked('system:masters'))).not.toBeInstanceOf(Promise);
  });

  it('administrators before any mode', () => {
    const union = createUnion([privileged, alwaysDeny]);
    expect(union.authorize(asked('system:masters'))).toMatchObject({ verdict: 'allow' });
    expect(union.authorize(asked('dev'))).toMatchObject({ verdict: 'no-opinion' });
  });
});
