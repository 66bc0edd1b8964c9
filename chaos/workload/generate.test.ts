import { describe, expect, it } from 'vitest';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { generateRichWorkload, generateWorkload } from './generate.ts';
import type { Action } from '../world/user.ts';
import { neededResources } from './needed-resources.ts';
import { HOUR } from './parts.ts';

const controllers = [
  'cronjob',
  'csrsigning',
  'garbagecollector',
  'namespace',
  'resourcequota',
  'tokencleaner',
];

const workloadOf = (seed: number, focus?: string, of: readonly string[] = controllers) => {
  const random = createSeededRandom(seed);
  const making = {
    random,
    vocabulary: orchVocabulary,
    startMs: Date.UTC(2026, 0, 1),
    untilMs: HOUR,
    endsMs: HOUR,
  };
  return generateWorkload(of, making, focus).actions;
};

const madeIn = (seed: number, focus?: string): readonly string[] => [
  ...new Set(workloadOf(seed, focus).map(({ name }) => name.replace(/[-\d].*$/, ''))),
];

/** Start of the name of an object that identifies each part of the workload. */
const SIGNS = ['tick', 'csr', 'owner', 'doomed', 'few', 'bootstrap'];

describe('the generated workload', () => {
  it('contains a random subset of all actions', () => {
    const parts = Array.from({ length: 40 }, (_, seed) => {
      const made = madeIn(seed);
      return SIGNS.filter((sign) => made.includes(sign));
    });
    expect(new Set(parts.map(({ length }) => length))).toEqual(new Set([2, 4, 6]));
    expect(new Set(parts.flat())).toEqual(new Set(SIGNS));
  });

  it('always contains the actions for the focused controller', () => {
    for (let seed = 0; seed < 20; seed++) expect(madeIn(seed, 'tokencleaner')).toContain('bootstrap');
  });

  it('deletes the ServiceAccount that pods need only if a controller recreates it', () => {
    const endsIt = (of: readonly string[]): boolean =>
      Array.from({ length: 60 }, (_, seed) => workloadOf(seed, undefined, of))
        .flat()
        .some(
          ({ verb, resource, name }) => `${verb} ${resource} ${name}` === 'delete /serviceaccounts default',
        );
    expect(endsIt(['job', 'serviceaccount', 'serviceaccount-token'])).toBe(true);
    expect(endsIt(['job', 'serviceaccount-token'])).toBe(false);
  });

  it('is the same for the same seed, and ordered by time', () => {
    const workload = workloadOf(7);
    expect(workloadOf(7)).toEqual(workload);
    expect(workload.map(({ atMs }) => atMs)).toEqual(workload.map(({ atMs }) => atMs).sort((a, b) => a - b));
  });

  it('needs the resources of its objects and their owners, and those of the controllers', () => {
    const needed = neededResources([
      {
        atMs: 0,
        verb: 'create',
        resource: 'apps/replicasets',
        namespace: 'team',
        name: 'web',
        owners: [{ resource: 'apps/deployments', name: 'web' }],
      },
    ]);
    expect(needed).toEqual(expect.arrayContaining(['apps/replicasets', 'apps/deployments', 'batch/jobs']));
    expect(neededResources([])).not.toContain('apps/deployments');
  });

  it('needs leases under leader election', () => {
    expect(neededResources([], true)).toContain('coordination/leases');
    expect(neededResources([])).not.toContain('coordination/leases');
  });
});

describe('the rich workload', () => {
  const distinctActions = (actions: readonly Action[]): number =>
    new Set(actions.map(({ verb, resource, namespace, name }) => `${verb} ${resource} ${namespace}/${name}`))
      .size;
  const makingOf = (seed: number) => ({
    random: createSeededRandom(seed),
    vocabulary: orchVocabulary,
    startMs: Date.UTC(2026, 0, 1),
    untilMs: 36_000,
    endsMs: 60_000,
  });

  it('has more different actions than a drawn workload, and is the same for the same seed', () => {
    for (let seed = 1; seed <= 5; seed++) {
      const rich = generateRichWorkload(controllers, makingOf(seed));
      const drawn = generateWorkload(controllers, makingOf(seed), undefined, Infinity).actions;
      expect(distinctActions(rich)).toBeGreaterThan(distinctActions(drawn));
      expect(generateRichWorkload(controllers, makingOf(seed))).toEqual(rich);
    }
  });
});
