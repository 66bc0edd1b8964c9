import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { attentionRules } from '../../controllers/attention/index.ts';
import { healthyCluster } from './situations.ts';
import { useAttendedWorld } from './attended-world.ts';

const text = readFileSync(join(import.meta.dirname, '../../deploy/prometheus-rules.yaml'), 'utf8');
const expressions = [...text.matchAll(/^ +expr: (.*)$/gm)].map(([, expression = '']) => expression);
/** Reasons of keys that the journal itself shows. */
const JOURNAL_REASONS = ['reconcile-failing', 'reconcile-slow'];

it('the Prometheus rules name only metrics and labels that a controller manager exposes', async () => {
  const { manager, world } = await useAttendedWorld();
  await healthyCluster(world, () => {});
  const exposed = (await manager.metrics()).text;
  expect(expressions.length).toBeGreaterThan(5);
  for (const expression of expressions) {
    const metrics = [...expression.matchAll(/(\w+)\{/g)].map(([, name]) => name);
    expect(metrics.length).toBeGreaterThan(0);
    for (const metric of metrics) expect(exposed).toContain(`# TYPE ${metric} gauge`);
    const labels = /by \(([^)]+)\)/.exec(expression)?.[1]?.split(', ') ?? [];
    expect(['controller', 'reason']).toEqual(expect.arrayContaining(labels));
  }
});

it('the Prometheus rules name only reasons that a rule has', () => {
  const known = [...attentionRules.objects, ...attentionRules.failures].map(({ reason }) => reason);
  const named = expressions.flatMap(
    (expression) => /reason=~?"([^"]+)"/.exec(expression)?.[1]?.split('|') ?? [],
  );
  expect(named.filter((reason) => ![...known, ...JOURNAL_REASONS].includes(reason))).toEqual([]);
});
