import { describe, expect, it } from 'vitest';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { runSeed, summarize } from '../../chaos/run/campaign.ts';
import { type FaultName, faultKinds } from '../../chaos/world/fault-kinds.ts';
import type { SubjectModule } from '../../chaos/run/subject.ts';
import * as backup from '../../examples/backup/backup.chaos.ts';
import * as configMapTtl from '../../examples/config-map-ttl.chaos.ts';

const ids = ({ invariants = [] }: SubjectModule): readonly string[] => invariants.map(({ id }) => id);

async function campaign(seeds: number, faults: readonly FaultName[], module: SubjectModule = configMapTtl) {
  const { controllers = [], invariants = [], kinds = [], workload = [] } = module;
  const names = controllers.map(({ name }) => name);
  const plan = {
    product: orchVocabulary.product,
    selection: names,
    controllers: names,
    faults,
    budget: 6,
    lastsMs: 45 * 60_000,
    workload,
  };
  const subject = { definitions: () => controllers, invariants, kinds };
  const results = [];
  for (let seed = 1; seed <= seeds; seed++)
    results.push(await runSeed(seed, { plan, subject, verify: false }));
  return summarize(results, plan);
}

describe('a third-party controller with its own invariants', () => {
  it('passes under every fault except those of the clock', async () => {
    const faults = faultKinds.map(({ name }) => name).filter((name) => !name.includes('clock'));
    const report = await campaign(4, faults);
    expect(report.verdict).toBe('PASS');
    expect(report.invariants.filter(({ reached }) => reached > 0).map(({ id }) => id)).toEqual(
      expect.arrayContaining([...ids(configMapTtl)]),
    );
  });

  it('passes for a custom resource whose definition the workload creates', async () => {
    const report = await campaign(
      3,
      faultKinds.map(({ name }) => name),
      backup,
    );
    expect(report.verdict).toBe('PASS');
    expect(report.invariants.filter(({ reached }) => reached > 0).map(({ id }) => id)).toEqual(
      expect.arrayContaining([...ids(backup)]),
    );
  });

  it('fails under clock faults, because it trusts its own clock', async () => {
    const report = await campaign(16, ['clock-forward']);
    expect(report.verdict).toBe('FAIL');
    const broken = report.invariants.filter((each) => each.broken > 0).map(({ id }) => id);
    expect(broken).toEqual(['config-map-ttl/no-early-deletion']);
  });
});
