import { describe, expect, it } from 'vitest';
import { type Resource, findResource, namedIn, pathOf, resourceOfKind, titleOf } from './resources.ts';

const resource = (
  group: string,
  version: string,
  plural: string,
  kind: string,
  more: Partial<Resource> = {},
) => ({
  group,
  version,
  plural,
  kind,
  singular: kind.toLowerCase(),
  shortNames: [],
  namespaced: true,
  verbs: ['get'],
  categories: [],
  ...more,
});
const all: readonly Resource[] = [
  resource('', 'v1', 'events', 'Event', { shortNames: ['ev'] }),
  resource('', 'v1', 'nodes', 'Node', { namespaced: false }),
  resource('batch', 'v1', 'cronjobs', 'CronJob', { shortNames: ['cj'] }),
  resource('batch', 'v1beta1', 'cronjobs', 'CronJob', { shortNames: ['cj'] }),
  resource('events.orch.io', 'v1', 'events', 'Event', { shortNames: ['ev'] }),
];
const served = ({ group, version, plural }: Resource) => [group, version, plural];

describe('findResource and the resources of a server', () => {
  it.each([
    ['cronjobs', 'batch', 'v1'],
    ['cronjob', 'batch', 'v1'],
    ['CronJob', 'batch', 'v1'],
    ['cj', 'batch', 'v1'],
    ['cj.batch', 'batch', 'v1'],
    ['cronjobs.v1beta1.batch', 'batch', 'v1beta1'],
    ['ev', '', 'v1'],
    ['events.events.orch.io', 'events.orch.io', 'v1'],
  ])('return for %j the group %j at version %s', (asked, group, version) => {
    expect(served(findResource(all, asked)).slice(0, 2)).toEqual([group, version]);
  });

  it.each(['foo', 'cronjobs.apps', 'cronjobs.v2.batch', ''])('do not include the name %j', (asked) => {
    expect(() => findResource(all, asked)).toThrow(`the server has no resource ${JSON.stringify(asked)}`);
  });

  it('match a manifest by its exact version', () => {
    expect(served(resourceOfKind(all, 'batch/v1beta1', 'CronJob'))).toEqual(['batch', 'v1beta1', 'cronjobs']);
    expect(() => resourceOfKind(all, 'batch/v2', 'CronJob')).toThrow('no kind "CronJob" in "batch/v2"');
  });

  it('have a path with the namespace if they are namespaced', () => {
    const cronJobs = findResource(all, 'cj');
    expect(pathOf(cronJobs, 'a', 'x')).toBe('/apis/batch/v1/namespaces/a/cronjobs/x');
    expect(pathOf(cronJobs, undefined)).toBe('/apis/batch/v1/cronjobs');
    expect(pathOf(findResource(all, 'node'), 'a', 'x:y')).toBe('/api/v1/nodes/x%3Ay');
  });

  it('have a title with the group', () => {
    expect(titleOf(findResource(all, 'cj'), 'x')).toBe('cronjob.batch/x');
    expect(titleOf(findResource(all, 'node'), 'x')).toBe('node/x');
  });
});

describe('namedIn', () => {
  const named = (...words: readonly string[]) =>
    namedIn(all, words).map(({ resource: { plural }, names }) => [plural, names]);

  it.each([
    [['cj'], [['cronjobs', []]]],
    [['cj', 'a', 'b'], [['cronjobs', ['a', 'b']]]],
    [
      ['cj/a', 'node/b'],
      [
        ['cronjobs', ['a']],
        ['nodes', ['b']],
      ],
    ],
  ])('maps %j to %j', (words, found) => {
    expect(named(...words)).toEqual(found);
  });

  it('accepts several resources separated by commas', () => {
    expect(named('cj,node')).toEqual([
      ['cronjobs', []],
      ['nodes', []],
    ]);
  });

  it.each([
    [[], 'no resource'],
    [['cj/a', 'b'], '"b" names no object'],
    [['cj/'], '"cj/" names no object'],
    [['cj/a/b'], '"cj/a/b" names no object'],
  ])('rejects the arguments %j', (words, why) => {
    expect(() => named(...words)).toThrow(why);
  });
});
