import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../api/kinds/kind.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { Attributes, Authorizer, RequestContext } from '../request.ts';
import { createAccessReviewHandlers } from './access-review.ts';

const received: Attributes[] = [];
const authorizer: Authorizer = {
  name: 'test',
  authorize: async (attributes) => {
    received.push(attributes);
    if (attributes.verb === 'fail') return { verdict: 'no-opinion', reason: '', error: 'failed' };
    return attributes.verb === 'deny'
      ? { verdict: 'deny', reason: 'no' }
      : { verdict: attributes.verb === 'get' ? 'allow' : 'no-opinion', reason: '' };
  },
  rules: async ({ username }, namespace) => ({
    resourceRules: [{ verbs: ['get'], apiGroups: [username], resources: [namespace], resourceNames: [] }],
    nonResourceRules: [],
    incomplete: true,
    error: 'why',
  }),
};

async function review(
  resource: string,
  spec: object,
  namespace = '',
  metadata: object = {},
  version = 'v1',
): Promise<unknown> {
  const handlers = createAccessReviewHandlers(authorizer, kubernetesVocabulary);
  const handler = handlers.find((each) => each.resource === resource && each.version === version);
  const context = { user: { username: 'alice', groups: [] } } as unknown as RequestContext;
  const response = await handler?.handle(context, { metadata, spec } as ApiObject, namespace, '');
  return (response as { status?: unknown } | undefined)?.status;
}

const pods = { verb: 'get', resource: 'pods', namespace: 'ns' };

describe('access reviews', () => {
  it('decide on requests of the caller and of another user, and on paths', async () => {
    expect(await review('selfsubjectaccessreviews', { resourceAttributes: pods })).toEqual({ allowed: true });
    expect(received.at(-1)).toMatchObject({
      user: { username: 'alice' },
      resource: 'pods',
      isResourceRequest: true,
    });
    const other = { user: 'bob', groups: ['g'], nonResourceAttributes: { verb: 'deny', path: '/x' } };
    expect(await review('subjectaccessreviews', other)).toEqual({
      allowed: false,
      denied: true,
      reason: 'no',
    });
    expect(received.at(-1)).toMatchObject({
      user: { username: 'bob', groups: ['g'] },
      path: '/x',
      isResourceRequest: false,
    });
  });

  it('reject a spec without exactly one request and one user', async () => {
    await expect(review('selfsubjectaccessreviews', {})).rejects.toThrow(
      'exactly one of nonResourceAttributes or resourceAttributes must be specified',
    );
    const both = { resourceAttributes: pods, nonResourceAttributes: { path: '/', verb: 'get' } };
    await expect(review('selfsubjectaccessreviews', both)).rejects.toThrow(
      'cannot be specified in combination with resourceAttributes',
    );
    await expect(review('subjectaccessreviews', { resourceAttributes: pods })).rejects.toThrow(
      '.authorization.k8s.io "" is invalid: spec.user: Invalid value: "": at least one of user or group must be specified',
    );
    await expect(
      review('selfsubjectaccessreviews', { resourceAttributes: pods }, '', { name: 'x' }),
    ).rejects.toThrow('metadata: Invalid value: "": must be empty');
  });

  it('accept only their own namespace if they are local', async () => {
    const spec = { user: 'bob', resourceAttributes: pods };
    expect(await review('localsubjectaccessreviews', spec, 'ns', { namespace: 'ns' })).toEqual({
      allowed: true,
    });
    await expect(review('localsubjectaccessreviews', spec, 'other')).rejects.toThrow(
      'spec.resourceAttributes.namespace: Invalid value: "ns": must match metadata.namespace',
    );
    await expect(review('localsubjectaccessreviews', spec, 'ns', { namespace: 'x' })).rejects.toMatchObject({
      code: 400,
    });
  });

  it('have a field `group` in v1beta1', async () => {
    const spec = { group: ['g'], resourceAttributes: pods };
    expect(await review('subjectaccessreviews', spec, '', {}, 'v1beta1')).toEqual({ allowed: true });
    expect(received.at(-1)).toMatchObject({ user: { username: '', groups: ['g'] } });
  });

  it('report the error of an authorizer that could not decide', async () => {
    const spec = { user: 'bob', nonResourceAttributes: { path: '/x', verb: 'fail' } };
    expect(await review('subjectaccessreviews', spec)).toEqual({
      allowed: false,
      evaluationError: 'failed',
    });
  });

  it('list the rules of the caller in a namespace', async () => {
    expect(await review('selfsubjectrulesreviews', { namespace: 'ns' })).toEqual({
      resourceRules: [{ verbs: ['get'], apiGroups: ['alice'], resources: ['ns'] }],
      nonResourceRules: [],
      incomplete: true,
      evaluationError: 'why',
    });
    await expect(review('selfsubjectrulesreviews', {})).rejects.toMatchObject({ code: 400 });
  });
});
