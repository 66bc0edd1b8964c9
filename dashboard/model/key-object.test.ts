import { expect, it } from 'vitest';
import { isInNamespace, objectOfKey } from './key-object.ts';

const jobs = { group: 'batch', version: 'v1', plural: 'jobs', namespaced: true };

it('reads a key as the name of an object of the first watch if the controller is keyed', () => {
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
])('reads resource and object from the key %s', (key, resource, object) => {
  expect(objectOfKey({ keyed: false, watches: [jobs] }, key)).toEqual({ resource, object });
});

it.each(['team', 'team/web', ''])(
  'returns undefined for the key %j of a controller that is not keyed',
  (key) => {
    expect(objectOfKey({ keyed: false, watches: [jobs] }, key)).toBeUndefined();
  },
);

it.each([
  ['team/a', 'team', true],
  ['team', 'team', true],
  ['team-b/a', 'team', false],
  ['other/team', 'team', false],
  ['pods.v1./team/web', 'team', true],
  ['pods.v1./other/team', 'team', false],
  ['nodes.v1./team', 'team', false],
  ['team/a', '', true],
])('decides if the key %j is in the namespace %j', (key, namespace, expected) => {
  expect(isInNamespace(key, namespace)).toBe(expected);
});
