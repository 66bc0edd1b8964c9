import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LONG } from '../long.ts';
import { type CostServer, startCostServer } from './cost.ts';
import { type FieldCase, allFields, nameOf } from './field-cases.ts';
import { FILLINGS } from './field-values.ts';
import { type Finding, sweepCollection, sweepText, sweepTogether, sweepUpdate } from './field-sweep.ts';

// Tests that no list, map or string of any kind makes a request slow. With LONG=1 all fields are tested,
// otherwise fields that were once slow and a sample of the others.

let server: CostServer;
beforeAll(async () => {
  server = await startCostServer();
});
afterAll(() => server.stop());

const { collections, texts } = allFields();

/** Fields whose cost once grew faster than their length. */
const ONCE_SLOW: readonly string[] = [
  'Pod v1 spec.containers',
  'Pod v1 spec.initContainers.[].volumeMounts',
  'Pod v1 spec.volumes.[].ephemeral.volumeClaimTemplate.spec.resources.limits',
  'Pod v1 spec.topologySpreadConstraints',
  'CertificateSigningRequest v1 spec.usages',
  'StorageClass v1 allowedTopologies',
  'ClusterRole v1 rules.[].verbs',
  'Pod v1 spec.volumes.[].iscsi.iqn',
  'CronJob v1 spec.schedule',
];
/** Sampling steps of the other fields. */
const EVERY = { collections: 120, texts: 400 };

const chosen = (fields: readonly FieldCase[], every: number): readonly FieldCase[] =>
  fields.filter((each, at) => LONG || at % every === every - 1 || ONCE_SLOW.includes(nameOf(each)));
const fillings = LONG ? FILLINGS : (['distinct', 'invalid'] as const);

const none: readonly Finding[] = [];
const found = (...findings: readonly (Finding | undefined)[]): readonly Finding[] =>
  findings.filter((each) => each !== undefined);

describe('a request with one filled field', () => {
  it('covers fields of every kind', () => {
    const names = [...collections, ...texts].map(nameOf);
    for (const name of ONCE_SLOW) expect(names).toContain(name);
    expect(names.length).toBeGreaterThan(1_000);
  });

  it.each(chosen(collections, EVERY.collections).map((each) => [nameOf(each), each] as const))(
    'takes time linear in the items of %s, within the budget',
    async (_, each) => {
      const findings: (Finding | undefined)[] = [];
      for (const filling of fillings) findings.push(await sweepCollection(server, each, filling));
      findings.push(await sweepTogether(server, each), await sweepUpdate(server, each, 'distinct'));
      expect(found(...findings)).toEqual(none);
    },
    300_000,
  );

  it.each(chosen(texts, EVERY.texts).map((each) => [nameOf(each), each] as const))(
    'takes time linear in the string of %s, within the budget',
    async (_, each) => expect(await sweepText(server, each)).toEqual(none),
    300_000,
  );
});
