import { describe, expect, it } from 'vitest';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSystemClock } from '../../base/clock/system.ts';
import { exploreController } from '../explore/explore-controller.ts';
import { explorable, subjectOf, workloads } from '../explore/scenarios/index.ts';
import { type TraceStep, lengthOf, linesOf } from '../explore/trace.ts';
import { exhibits } from '../museum/catalogue.ts';
import { describeVisit, describeWay, exhibitsOf, isFound, mutantOf, visit } from '../museum/visit.ts';
import { mutantsOf } from './catalogue.ts';
import type { Mutant } from './mutant.ts';
import { describeScore } from './describe.ts';
import { LONG } from '../../test/long.ts';
import { createHunter, searchesOf } from './hunt.ts';
import { sieveBugs } from './sieve-bugs.ts';

const all: readonly Mutant[] = explorable.flatMap((controller) => {
  const subject = subjectOf(controller, orchVocabulary, 1);
  return subject ? mutantsOf(subject.definition) : [];
});
const hunter = createHunter({ clock: createSystemClock() });
const hunt = (name: string) => {
  const mutant = all.find((each) => each.name === name);
  if (!mutant) throw new Error(`no mutant ${name}`);
  return hunter.hunt(mutant);
};

describe('mutants', () => {
  it('have unique names and include at least as many of each pattern as the Sieve study', () => {
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    const count = (pattern: string) => all.filter((each) => each.pattern === pattern).length;
    expect(count('intermediate')).toBeGreaterThanOrEqual(11);
    expect(count('stale')).toBeGreaterThanOrEqual(19);
    expect(count('unobserved')).toBeGreaterThanOrEqual(7);
    expect(count('indirect')).toBeGreaterThanOrEqual(9);
  });

  it.each([
    ['tokencleaner/no-version', 'tokencleaner/no-early-deletion'],
    ['bootstrapsigner/sign-error-swallowed', 'bootstrapsigner/every-token-signs'],
    ['csrapproving/review-error-swallowed', 'csrapproving/no-unpermitted-approval'],
    ['garbagecollector/finalizer-before-orphans', 'garbagecollector/no-early-orphan-release'],
    ['csrsigning/no-preconditions', 'generic/no-foreign-write'],
    ['csrsigning/clock-ahead', 'csrsigning/no-longer-lifetime'],
    ['csrsigning/clock-behind', 'csrsigning/valid-from-signing'],
    ['garbagecollector/cached-reads', 'garbagecollector/no-owned-deletion'],
    ['garbagecollector/requeue-dropped', 'garbagecollector/garbage-is-deleted'],
    ['garbagecollector/breakCircle-error-swallowed', 'garbagecollector/no-stuck-foreground'],
    ['bootstrapsigner/secrets-changed-missed', 'bootstrapsigner/valid-signatures'],
    ['serviceaccount-token/serviceaccounts-changed-missed', 'serviceaccount-token/every-account-has-token'],
    ['job/removePods-error-swallowed', 'job/no-surplus-pod'],
  ])('include %s, caught by %s', async (name, invariant) => {
    const { verdict, findings } = await hunt(name);
    expect(verdict).toBe('caught');
    expect(findings.at(-1)?.exploration).toMatchObject({ violation: { invariant } });
  });

  it('are searched with two faults if their defect needs two consecutive errors', async () => {
    const controller = 'job';
    const swallowed = all.find(({ name }) => name === 'job/createPods-error-swallowed');
    const [{ workload, reach } = {}] = searchesOf(controller).filter(
      ({ reach: { faultKinds } }) => faultKinds,
    );
    expect({ workload, reach }).toMatchObject({ workload: 'job/undisturbed', reach: { faults: 2 } });
    const subject = subjectOf('job/undisturbed', orchVocabulary, 1);
    if (!subject || !swallowed || !reach) throw new Error('no such mutant');
    const { definition, scenario } = subject;
    const bounds = { ...reach, lag: 1, maxStates: 10_000, clock: createSystemClock() };
    const found = await exploreController({ ...bounds, definition: swallowed.mutate(definition), scenario });
    expect(found).toMatchObject({ verdict: 'fail', violation: { invariant: 'job/job-finishes' } });
  });

  it('have the result same if the mutation has no effect', async () => {
    expect((await hunt('csrsigning/requeue-dropped')).verdict).toBe('same');
  });

  it('are scored only if they are observable', async () => {
    const mutants = ['csrsigning/no-preconditions', 'csrsigning/requeue-dropped'];
    const hunted = [];
    for (const mutant of all.filter(({ name }) => mutants.includes(name)))
      hunted.push({ mutant, hunt: await hunter.hunt(mutant) });
    expect(describeScore(hunted)).toMatch(/^caught 1 of 1 \(100\.0 %\).*stale 1 of 1/);
    expect(describeScore(hunted)).toContain('1 of 2 are no different');
  });
});

describe('the 46 bugs of the Sieve study', () => {
  it('each have a separate mutant of the same pattern', () => {
    const count = (pattern: string) => sieveBugs.filter((each) => each.pattern === pattern).length;
    expect(['intermediate', 'stale', 'unobserved', 'indirect'].map(count)).toEqual([11, 19, 7, 9]);
    expect(new Set(sieveBugs.map(({ id }) => id)).size).toBe(46);
    expect(new Set(sieveBugs.map(({ mutant }) => mutant)).size).toBe(46);
    expect(sieveBugs.map((bug) => mutantOf(bug).pattern)).toEqual(sieveBugs.map(({ pattern }) => pattern));
  });

  it.runIf(LONG)(
    'are all caught',
    async () => {
      const survivors: string[] = [];
      for (const bug of sieveBugs)
        if ((await hunter.hunt(mutantOf(bug))).verdict !== 'caught') survivors.push(bug.id);
      expect(survivors).toEqual([]);
    },
    300_000,
  );
});

describe('an additional workload', () => {
  it.each(workloads.filter((each) => !explorable.includes(each)))(
    'causes no violation without faults: %s',
    async (workload) => {
      const subject = subjectOf(workload, orchVocabulary, 1);
      if (!subject) throw new Error(`no workload ${workload}`);
      const bounds = { faults: 0, leaders: 1, lag: 1, maxStates: 100_000 };
      const found = await exploreController({ ...subject, ...bounds, clock: createSystemClock() });
      expect(found.verdict).toBe('pass');
    },
  );
});

describe('a trace', () => {
  const step = (label: string, more: Pick<TraceStep, 'reconcile' | 'fault'> = {}) => ({ label, ...more });

  it('joins consecutive requests of one reconcile', () => {
    const trace = [
      step('at the start'),
      step('a [reading] get x → done', { reconcile: 'a [reading]' }),
      step('a [reading] get y → done', { reconcile: 'a [reading]' }),
      step('the user deletes x'),
      step('a [reading] get z → done', { reconcile: 'a [reading]' }),
      step('a [reading] get z is refused (500)', { fault: 'error' }),
      step('b [reading] get x → done', { reconcile: 'b [reading]' }),
    ];
    expect(linesOf(trace)).toEqual([
      { label: 'at the start' },
      { label: 'a [reading] get x → done, get y → done' },
      { label: 'the user deletes x' },
      { label: 'a [reading] get z → done' },
      { label: 'a [reading] get z is refused (500)', fault: 'error' },
      { label: 'b [reading] get x → done' },
    ]);
    expect(lengthOf(trace)).toBe(5);
  });
});

describe('the museum', () => {
  it('has at least 30 exhibits with distinct issues and mutants', () => {
    expect(exhibits.length).toBeGreaterThanOrEqual(30);
    expect(new Set(exhibits.map(({ issue }) => issue)).size).toBe(exhibits.length);
    expect(exhibits.map((each) => mutantOf(each).name)).toEqual(exhibits.map(({ mutant }) => mutant));
  });

  it.runIf(LONG)(
    'finds every exhibit in at most 15 steps',
    async () => {
      const missed: string[] = [];
      for (const exhibit of exhibits) {
        const { hunt } = await visit(exhibit, hunter);
        const last = hunt.findings.at(-1)?.exploration;
        if (last?.verdict !== 'fail' || lengthOf(last.trace) > 15) missed.push(exhibit.issue);
      }
      expect(missed).toEqual([]);
    },
    300_000,
  );

  it('finds an exhibit by issue number and shows its trace', async () => {
    const [exhibit, ...others] = exhibitsOf('114603');
    expect(others).toEqual([]);
    if (!exhibit) throw new Error('no exhibit');
    const seen = await visit(exhibit, hunter);
    expect(isFound(seen)).toBe(true);
    expect(describeVisit(seen)).toMatch(
      /^kubernetes#114603 .*found by garbagecollector\/no-owned-deletion in \d steps/,
    );
    expect(describeWay(seen)).toMatch(/0 {4}at the start\n[^]*\[deleting\] delete configmaps team\/x/);
  });
});
