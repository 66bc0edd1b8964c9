import { describe, expect, it } from 'vitest';
import { TO_FAILING, routeOf, toController, toKey, toLifecycle, toResource } from './routes.ts';

describe('routeOf', () => {
  it.each([
    ['', { view: 'overview' }],
    ['#/nowhere', { view: 'overview' }],
    [toController('cronjob'), { view: 'controller', name: 'cronjob' }],
    [toKey('cronjob', 'team/tick'), { view: 'key', name: 'cronjob', key: 'team/tick' }],
    [`${toKey('cronjob', 'a?b')}?at=1767225600000`, { view: 'key', name: 'cronjob', key: 'a?b' }],
    ['#/?at=1767225600000', { view: 'overview' }],
    [TO_FAILING, { view: 'failing' }],
    ['#/explorer', { view: 'explorer' }],
    [toResource('/v1/pods'), { view: 'explorer', resource: '/v1/pods' }],
    [toResource('/v1/pods', 'team/ä'), { view: 'explorer', resource: '/v1/pods', object: 'team/ä' }],
    ['#/lifecycles', { view: 'lifecycles' }],
    [toLifecycle('job'), { view: 'lifecycles', id: 'job' }],
    [toLifecycle('job', 'Failed'), { view: 'lifecycles', id: 'job', state: 'Failed' }],
    ['#/controllers/50%', { view: 'controller', name: '50%' }],
    ['#/explorer/%2Fv1%2Fpods/team%2', { view: 'explorer', resource: '/v1/pods', object: 'team%2' }],
  ])('parses the address %j', (hash, route) => {
    expect(routeOf(hash)).toEqual(route);
  });
});
