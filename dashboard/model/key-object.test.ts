import { expect, it } from 'vitest';
import { objectOfKey } from './key-object.ts';

const jobs = { group: 'batch', version: 'v1', plural: 'jobs', namespaced: true };

it('a key is the name of an object of the first watch, where the controller says so', () => {
  expect(objectOfKey({ keyed: true, watches: [jobs] }, 'team/a')).toEqual({
    resource: jobs,
    object: 'team/a',
  });
});

it.each([
  ['pods.v1./team/web', { group: '', version: 'v1', plural: 'pods', namespaced: true }, 'team/web'],
  ['nodes.v1./n1', { group: '', version: 'v1', plural: 'nodes', namespaced: false }, 'n1'],
  [
    'widgets.v1beta2.example.com/team/w',
    { group: 'example.com', version: 'v1beta2', plural: 'widgets', namespaced: true },
    'team/w',
  ],
])('the key %s names resource and object', (key, resource, object) => {
  expect(objectOfKey({ keyed: false, watches: [jobs] }, key)).toEqual({ resource, object });
});

it.each(['team', 'team/web', ''])('the key %j names no object by itself', (key) => {
  expect(objectOfKey({ keyed: false, watches: [jobs] }, key)).toBeUndefined();
});
