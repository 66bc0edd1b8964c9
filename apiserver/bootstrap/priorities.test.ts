import { describe, expect, it } from 'vitest';
import { flowSchemas, priorityClasses, priorityLevelConfigurations } from '../../api/groups/index.ts';
import type { AnyKind } from '../../api/kinds/scheme.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { type Fixture, listing, startFixture, writing } from '../registry/registry.fixture.ts';
import { createBootstrapWriter } from './bootstrap-writer.ts';
import { ensureFlowControl, ensurePriorityClasses } from './priorities.ts';

async function run({ registry }: Fixture): Promise<void> {
  const writer = createBootstrapWriter(registry, new AbortController().signal);
  await ensurePriorityClasses(writer, kubernetesVocabulary);
  await ensureFlowControl(writer, kubernetesVocabulary);
}

async function all(
  fixture: Fixture,
  kind: AnyKind,
): Promise<readonly [string | undefined, string | undefined][]> {
  const { items } = await fixture.of(kind).list(listing({ namespace: '' }));
  return items.map(({ object }) => [object.metadata?.name, object.metadata?.resourceVersion]);
}

const names = async (fixture: Fixture, kind: AnyKind) => (await all(fixture, kind)).map(([name]) => name);

describe('bootstrap of priorities', () => {
  it('makes the priority classes, flow schemas and levels of every cluster', async () => {
    const fixture = await startFixture();
    await run(fixture);
    expect(await names(fixture, priorityClasses)).toEqual([
      'system-cluster-critical',
      'system-node-critical',
    ]);
    expect(await names(fixture, priorityLevelConfigurations)).toEqual([
      'catch-all',
      'exempt',
      'global-default',
      'leader-election',
      'node-high',
      'system',
      'workload-high',
      'workload-low',
    ]);
    expect(await names(fixture, flowSchemas)).toContain('kube-system-service-accounts');
  });

  it('changes nothing on the next start, and nothing that an administrator has changed', async () => {
    const fixture = await startFixture();
    await run(fixture);
    await fixture
      .of(priorityLevelConfigurations)
      .patch(
        '',
        'workload-low',
        '',
        'application/merge-patch+json',
        { spec: { limited: { assuredConcurrencyShares: 7 } } },
        writing(),
      );
    const kinds = [priorityClasses, flowSchemas, priorityLevelConfigurations];
    const before = await Promise.all(kinds.map((kind) => all(fixture, kind)));
    await run(fixture);
    expect(await Promise.all(kinds.map((kind) => all(fixture, kind)))).toEqual(before);
  });
});
