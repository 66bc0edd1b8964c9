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
  await ensureFlowControl(writer, registry, kubernetesVocabulary);
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
  it('creates the priority classes, flow schemas and levels of every cluster', async () => {
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

  const change = (fixture: Fixture, kind: AnyKind, name: string, patch: object) =>
    fixture.of(kind).patch('', name, '', 'application/merge-patch+json', patch, writing());
  const ANNOTATION = 'apf.kubernetes.io/autoupdate-spec';
  const shares = { spec: { limited: { assuredConcurrencyShares: 7 } } };
  const sharesOf = async ({ registry }: Fixture, name: string) =>
    registry.reader(priorityLevelConfigurations).get('', name)?.spec?.limited?.assuredConcurrencyShares;

  it('writes nothing on the next start', async () => {
    const fixture = await startFixture();
    await run(fixture);
    const kinds = [priorityClasses, flowSchemas, priorityLevelConfigurations];
    const before = await Promise.all(kinds.map((kind) => all(fixture, kind)));
    await run(fixture);
    expect(await Promise.all(kinds.map((kind) => all(fixture, kind)))).toEqual(before);
  });

  it('keeps a spec that the annotation assigns to an administrator, and resets the others', async () => {
    const fixture = await startFixture();
    await run(fixture);
    await change(fixture, priorityLevelConfigurations, 'workload-low', {
      ...shares,
      metadata: { annotations: { [ANNOTATION]: 'false' } },
    });
    await change(fixture, priorityLevelConfigurations, 'workload-high', shares);
    await run(fixture);
    expect([await sharesOf(fixture, 'workload-low'), await sharesOf(fixture, 'workload-high')]).toEqual([
      7, 40,
    ]);
  });

  it('resets an unchanged spec without the annotation, and adds the annotation to every object', async () => {
    const fixture = await startFixture();
    await run(fixture);
    const without = { metadata: { annotations: null } };
    await change(fixture, priorityLevelConfigurations, 'system', { ...shares, ...without });
    await change(fixture, priorityLevelConfigurations, 'node-high', without);
    await run(fixture);
    const annotations = ['system', 'node-high'].map(
      (name) => fixture.registry.reader(priorityLevelConfigurations).get('', name)?.metadata?.annotations,
    );
    expect([...annotations, await sharesOf(fixture, 'system')]).toEqual([
      { [ANNOTATION]: 'false' },
      { [ANNOTATION]: 'true' },
      7,
    ]);
  });

  it('restores the annotation of fixed objects', async () => {
    const fixture = await startFixture();
    await run(fixture);
    await change(fixture, flowSchemas, 'exempt', { metadata: { annotations: { [ANNOTATION]: 'false' } } });
    await run(fixture);
    const { metadata } = fixture.registry.reader(flowSchemas).get('', 'exempt') ?? {};
    expect(metadata?.annotations).toEqual({ [ANNOTATION]: 'true' });
  });

  it('removes obsolete objects, except objects that an administrator has taken over', async () => {
    const fixture = await startFixture();
    await run(fixture);
    const spec = {
      type: 'Limited',
      limited: { assuredConcurrencyShares: 1, limitResponse: { type: 'Reject' } },
    };
    const make = (name: string, annotations: Record<string, string>) =>
      fixture
        .of(priorityLevelConfigurations)
        .create('', { metadata: { name, annotations }, spec }, writing());
    await make('old', { [ANNOTATION]: 'true' });
    await make('kept', { [ANNOTATION]: 'false' });
    await make('own', {});
    await run(fixture);
    const left = await names(fixture, priorityLevelConfigurations);
    expect(left).toEqual(expect.arrayContaining(['kept', 'own']));
    expect(left).not.toContain('old');
  });
});
