import { describe, expect, it } from 'vitest';
import { secrets } from '../../api/groups/core-v1.ts';
import { splitKey } from '../../api/kinds/scheme.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { tokenCleanerController } from '../../controllers/tokencleaner/token-cleaner.ts';
import type { ControllerDefinition, Effects } from '../../runtime/index.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { invariant, verdict } from '../invariants/invariant.ts';
import { tokenCleanerInvariants } from '../controllers/tokencleaner/invariants.ts';
import { randomTape } from '../tape/tape.ts';
import type { Action } from '../world/user.ts';
import { faultKinds, isRedisFault, ordinaryFaults } from '../world/fault-kinds.ts';
import { describeCampaign, describeStory } from '../report/terminal.ts';
import { runSeed, summarize } from './campaign.ts';
import { type Outcome, type Subject, run } from './run.ts';
import { shrink } from './shrink-trace.ts';
import { narrate } from './story.ts';
import { type Plan, seeded } from './swarm.ts';
import { replay, traceOf } from './trace.ts';
import type { Invariant } from '../invariants/invariant.ts';
import { runtimeInvariants } from '../oracles/runtime/index.ts';
import { NO_ODDS } from '../world/faults.ts';

const plan: Plan = {
  product: 'orch',
  selection: ['tokencleaner'],
  controllers: ['tokencleaner'],
  faults: ordinaryFaults,
  budget: 5,
  lastsMs: 900_000,
};
const invariants = tokenCleanerInvariants(orchVocabulary);
const ours: Subject = { invariants };

/** A controller that deletes the objects in its cache by name, without preconditions. */
const careless: ControllerDefinition = {
  ...tokenCleanerController,
  async effects(context) {
    const effects = await tokenCleanerController.effects(context);
    return {
      ...effects,
      confirm: effects['observe'],
      async deleteObject({ key }: { readonly key: string }) {
        const { namespace, name } = splitKey(key);
        await context.client.namespaced(secrets, namespace).delete(name);
        return 'deleted';
      },
    } as Effects;
  },
};

const chance = (seed: number, subject: Subject, overrides: Partial<Plan> = {}): Promise<Outcome> => {
  const { scenario, swarm, random } = seeded(seed, { ...plan, ...overrides });
  return run({ scenario, subject, tape: randomTape(random), swarm });
};

describe('a run', () => {
  it('is identical for the same seed, both random and replayed', async () => {
    for (const seed of [1, 2]) {
      const first = await chance(seed, ours);
      expect(first.verdict).toBe('PASS');
      expect(await chance(seed, ours)).toEqual(first);
      const { scenario } = seeded(seed, plan);
      expect(await replay(traceOf(scenario, first), ours)).toEqual(first);
    }
  });

  it('differs for different seeds', async () => {
    expect((await chance(1, ours)).hash).not.toBe((await chance(2, ours)).hash);
  });

  it('evaluates the same invariants in a replay as in the random run, without those that a fault excuses', async () => {
    const { scenario, swarm, random } = seeded(1, plan);
    const subject: Subject = {
      invariants: [
        invariant({
          id: 'example/no-deletion',
          says: 'nothing is committed',
          controller: '*',
          kind: 'never',
          unless: 'stale-list',
          initial: () => null,
          onCommit: (state, { name }) => verdict(state, true, `${name} was`),
        }),
      ],
    };
    const excused = { ...scenario, mayStrike: ['stale-list'] as const };
    const first = await run({ scenario: excused, subject, tape: randomTape(random), swarm });
    expect(first.verdict).toBe('PASS');
    expect(await replay(traceOf(excused, first), subject)).toEqual(first);
    const { invariant: broken } = traceOf(
      scenario,
      await run({ scenario: { ...scenario, mayStrike: [] }, subject, tape: randomTape(random), swarm }),
    ).expected;
    expect(broken).toBe('example/no-deletion');
  });

  it('rejects a record of another run', async () => {
    const first = await chance(4, ours);
    const { scenario } = seeded(4, plan);
    const edited = { ...traceOf(scenario, first), scenario: { ...scenario, workload: [] } };
    await expect(replay(edited, ours)).rejects.toThrow(/is now|diverged/);
  });

  it('finds and explains a controller that deletes by its cache without preconditions', async () => {
    const subject: Subject = { definitions: () => [careless], invariants };
    const seeds = { faults: ['late-events', 'clock-forward', 'touched', 'recreated'] as const, budget: 5 };
    let seed = 0;
    let found: Outcome | undefined;
    const isFound = (): boolean => /\/no-(?:early|extended)-deletion$/.test(found?.failure?.id ?? '');
    for (; seed < 40 && !isFound(); seed++) found = await chance(seed, subject, seeds);
    expect(isFound()).toBe(true);
    if (found === undefined) return;
    const { scenario } = seeded(seed - 1, { ...plan, ...seeds });
    const shrunk = await shrink(traceOf(scenario, found), subject);
    const { trace } = shrunk;
    const cut = await shrink(traceOf(scenario, found), subject, () => false);
    expect(cut).toMatchObject({ minimal: false, runs: 1, outcome: { failure: { id: found.failure?.id } } });
    expect(describeStory(await narrate(cut.trace, subject, cut))).toContain(
      'some of these may not be needed',
    );
    expect(shrunk.minimal).toBe(true);
    expect(trace.expected.invariant).toBe(found.failure?.id);
    expect(trace.tape.rows.length + trace.scenario.workload.length).toBeLessThanOrEqual(6);
    const text = describeStory(await narrate(trace, subject, shrunk));
    expect(text).toContain(`${found.failure?.id} is broken`);
    expect(text).toContain('without any one of these it passes');
    expect(text).toMatch(/ in observing → .*deleting\n/);
  });

  it('names an index that does not equal its recomputation, whatever the violation', async () => {
    const indexing: ControllerDefinition = {
      ...tokenCleanerController,
      effects(context) {
        let turn = 0;
        context.informers.of(secrets).index('by-turn', () => [String(turn++)]);
        return tokenCleanerController.effects(context);
      },
    };
    const noSecret: Invariant = {
      ...(runtimeInvariants[0] as Invariant),
      id: 'example/no-deletion',
      kind: 'never',
      onCommit: (state, { name, after }) => ({ state, ...(after ? {} : { broken: `${name} was deleted` }) }),
    };
    const subject: Subject = { definitions: () => [indexing], invariants: [noSecret] };
    let found: Outcome | undefined;
    for (let seed = 0; seed < 20 && !found?.failure; seed++) found = await chance(seed, subject);
    expect(found?.failure?.id).toBe('example/no-deletion');
    expect(found?.wrongIndexes).toEqual([
      expect.stringMatching(
        /^controller-manager.*: index by-turn of .*secrets #\d+ has .*, expected /,
      ) as string,
    ]);
  });

  it('is narrated with the violating change and every fault, shrunk or not, and fails again', async () => {
    const subject: Subject = { definitions: () => [careless], invariants };
    const seeds = { faults: ['late-events', 'clock-forward', 'touched', 'recreated'] as const, budget: 5 };
    let failed = 0;
    for (let seed = 0; seed < 40 && failed < 3; seed++) {
      const found = await chance(seed, subject, seeds);
      if (found.failure?.commit === undefined) continue;
      failed++;
      const trace = traceOf(seeded(seed, { ...plan, ...seeds }).scenario, found);
      const shrunk = await shrink(trace, subject);
      for (const each of [trace, shrunk.trace]) {
        const { failure, strikes } = await replay(each, subject);
        expect(failure?.id).toBe(found.failure.id);
        const { lines } = await narrate(each, subject);
        const { after, uid, verb } = failure?.commit ?? {};
        const shows = lines.filter(
          ({ object, revision }) =>
            object?.uid === uid &&
            object?.change === `${verb ?? ''} secrets` &&
            revision === after?.metadata?.resourceVersion,
        );
        expect(shows).toHaveLength(1);
        const faults = lines.filter(({ lane }) => lane === 'fault').map(({ text }) => text);
        expect(faults.map((text) => text.split(' ')[0])).toEqual(strikes.map(({ name }) => name));
        expect(lines.length).toBeLessThanOrEqual(12);
      }
    }
    expect(failed).toBe(3);
  });
});

describe('a seed', () => {
  const names = ['bootstrapsigner', 'cronjob', 'csrcleaner', 'job', 'namespace', 'tokencleaner'];
  const all: Plan = { ...plan, selection: ['*'], controllers: names };
  const underLeases = (of: Plan) =>
    Array.from({ length: 200 }, (_, seed) => seeded(seed, of).scenario).find(({ leases }) => leases);

  it('puts only a few of the selected controllers under leases', () => {
    const { controllers = [], managers } = underLeases(all) ?? {};
    expect(managers).toBe(2);
    expect(controllers).toHaveLength(4);
    expect(names).toEqual(expect.arrayContaining([...controllers]));
    expect(underLeases({ ...all, workload: [] })?.controllers).toEqual(['*']);
  });

  it('is compared with the run without faults every `comparedEvery` seeds, if it has one manager', () => {
    const compared = (comparedEvery?: number): readonly number[] =>
      Array.from({ length: 64 }, (_, seed) => seed).filter(
        (seed) =>
          seeded(seed, { ...all, ...(comparedEvery !== undefined && { comparedEvery }) }).scenario.compared,
      );
    expect(compared()).toEqual([]);
    expect(compared(0)).toEqual([]);
    expect(compared(1)).toHaveLength(64 - 9);
    expect(compared(16).every((seed) => seed % 16 === 0)).toBe(true);
    expect(compared(16)).not.toEqual([]);
  });

  it('reports the comparison in its tallies, and has the same hash as without a comparison', async () => {
    const faults = ['refused'] as const;
    const plain = await chance(2, ours, { faults });
    const compared = await chance(2, ours, { faults, comparedEvery: 1 });
    const idsOf = ({ tallies }: Outcome): readonly string[] =>
      tallies.filter(({ id, reached }) => id.startsWith('differential/') && reached > 0).map(({ id }) => id);
    expect(idsOf(plain)).toEqual([]);
    expect(idsOf(compared)).toContain('differential/same-end');
    expect(compared).toMatchObject({ verdict: 'PASS', hash: plain.hash });
  });

  it('uses leases in 3 of 64 consecutive seeds, with faults that remove a leader', () => {
    for (const first of [0, 17, 30_001]) {
      const row = Array.from({ length: 64 }, (_, i) => seeded(first + i, all));
      expect(row.filter(({ scenario }) => scenario.managers === 2)).toHaveLength(9);
      const led = row.filter(({ scenario }) => scenario.leases);
      expect(led).toHaveLength(3);
      for (const { swarm } of led)
        expect(swarm.faults).toEqual(expect.arrayContaining(['crash', 'restart-storm']));
    }
  });

  it('skips invariants of controllers that do not run', async () => {
    const missing = invariant<null>({
      id: 'example/ends',
      says: 'a missing controller acts',
      controller: 'example',
      kind: 'eventually',
      initial: () => null,
      atRest: (state) => verdict(state, true, 'it is not done'),
    });
    const { tallies, verdict: outcome } = await chance(1, { invariants: [...invariants, missing] });
    expect(outcome).toBe('PASS');
    expect(tallies.map(({ id }) => id)).toEqual(invariants.map(({ id }) => id));
  });
});

describe('a campaign', () => {
  it('sums up seeds and reports invariants whose premise was never reached', async () => {
    const unreached = invariant<null>({
      id: 'tokencleaner/never-reached',
      says: 'a premise that no commit matches',
      controller: 'tokencleaner',
      kind: 'never',
      initial: () => null,
      onCommit: (state) => verdict(state, false),
    });
    const all = [...invariants, unreached];
    const options = { plan, subject: { invariants: all }, verify: true };
    const results = [await runSeed(24, options), await runSeed(6, options)];
    const report = summarize(results, plan);
    expect(report).toMatchObject({
      verdict: 'VACUOUS',
      seeds: 2,
      passed: 2,
      hours: 0.5,
      failures: [],
      unknown: [],
    });
    expect(summarize(results.toReversed(), plan).hash).toBe(report.hash);
    expect(report.invariants.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    expect(report.invariants.find(({ id }) => id === unreached.id)).toMatchObject({ reached: 0 });
  });

  it('reports rejected user actions with the first reason', async () => {
    const unknown = (name: string): Action => ({
      atMs: 10_000,
      verb: 'patch',
      resource: '/configmaps',
      namespace: 'default',
      name,
      patch: { data: {} },
    });
    const options = { subject: ours, verify: false };
    const workload = [unknown('a'), unknown('b')];
    const refusing = await runSeed(6, { ...options, plan: { ...plan, workload } });
    const report = summarize([refusing, await runSeed(5, { ...options, plan: { ...plan, workload } })], plan);
    expect(report.refused).toEqual({ actions: 4, seed: 5, reason: expect.stringContaining('not found') });
    expect(describeCampaign(report, 1)).toMatch(
      /refused: 4 actions of users, the first in seed 5: .*not found/,
    );
    const without = summarize([await runSeed(6, { ...options, plan: { ...plan, workload: [] } })], plan);
    expect(without).not.toHaveProperty('refused');
    expect(describeCampaign(without, 1)).not.toContain('refused:');
  });

  it('records states, transitions and requests without changing the run', async () => {
    const options = { plan, subject: ours, verify: false };
    const { observed, features, ...rest } = await runSeed(6, { ...options, observe: true });
    expect(rest).toEqual(await runSeed(6, options));
    expect(features?.join(' ')).toContain('bootstrap tokens=');
    expect(observed?.states).toHaveProperty('tokencleaner deciding');
    expect(observed?.transitions).toHaveProperty('tokencleaner observing xstate.done.actor.observe deciding');
    expect(observed?.requests).toHaveProperty('tokencleaner deleting delete secrets named');
    expect(observed?.requests).toHaveProperty('controller-manager - watch secrets -');
  });
});

describe('faults', () => {
  /**
   * Creates a token that expires after one minute, so that the controller lists, watches, reads and deletes
   * it.
   */
  const workload: readonly Action[] = [
    {
      atMs: 10_000,
      verb: 'create',
      resource: '/secrets',
      namespace: orchVocabulary.namespaces.system,
      name: 'bootstrap-token-abcdef',
      object: {
        type: orchVocabulary.secretTypes.bootstrapToken,
        data: { expiration: Buffer.from('2026-01-01T00:01:00Z').toString('base64') },
      },
    },
  ];

  it('are followed by a calm phase of a third of the run, and at least one resync period', () => {
    const calmMinutes = (lastsMs: number): number =>
      Math.floor(seeded(1, { ...plan, lastsMs, workload }).scenario.calmMs / 60_000);
    expect([calmMinutes(600_000), calmMinutes(3_600_000), calmMinutes(7_200_000)]).toEqual([20, 20, 40]);
  });

  it.each(faultKinds.map(({ name, point }) => [name, point] as const))(
    'can be injected: %s',
    async (name, point) => {
      // Certain even at places with the lowest weight.
      const odds = { ...NO_ODDS, [point]: 10 };
      const { scenario } = seeded(1, { ...plan, lastsMs: 600_000, workload });
      const outcome = await run({
        scenario: {
          ...scenario,
          startMs: Date.UTC(2026, 0, 1),
          managers: 1,
          ...(isRedisFault(name) && { sharedKeys: true }),
        },
        subject: ours,
        tape: randomTape(createSeededRandom(1)),
        swarm: { faults: [name], budget: 1, odds, jitter: 0 },
      });
      // Reads and writes have separate budgets.
      expect(new Set(outcome.strikes.map((strike) => strike.name))).toEqual(new Set([name]));
      expect(outcome.verdict).not.toBe('UNKNOWN');
    },
  );
});
