import { describe, expect, it } from 'vitest';
import { parseRequestInfo } from '../../apiserver/http/request/request-info.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { explicitRules } from './explicit.ts';
import type { Passing } from './matching.ts';
import { type FaultPlan, parsePlan } from './plan.ts';
import { readyPlanNames, readyPlanText } from './ready-plans.ts';
import { type StrikeRecord, type Strikes, createStrikes } from './strikes.ts';

const passing = (method: string, url: string): Passing => ({
  info: parseRequestInfo(method, url),
  user: 'user',
  userAgent: 'tester',
});
const maps = '/api/v1/namespaces/team/configmaps';
const create = passing('POST', maps);
const remove = passing('DELETE', `${maps}/a`);
const watch = passing('GET', `${maps}?watch=1`);
const list = passing('GET', maps);
const cachedList = passing('GET', `${maps}?resourceVersion=0`);
const deleted = { type: 'DELETED', namespace: 'team', name: 'a' } as const;

function strikesOf(plan: FaultPlan): { readonly strikes: Strikes; readonly records: StrikeRecord[] } {
  const records: StrikeRecord[] = [];
  const onStrike = (record: StrikeRecord): void => void records.push(record);
  return { strikes: createStrikes({ plan, seed: 3, clock: createSimulatedClock(), onStrike }), records };
}

/** Sends the same requests and events in each run. Returns the injected faults. */
function play(plan: FaultPlan): {
  readonly faults: readonly (string | undefined)[];
  readonly records: StrikeRecord[];
} {
  const { strikes, records } = strikesOf(plan);
  const faults: (string | undefined)[] = [];
  for (let i = 0; i < 8; i++) {
    for (const request of [list, cachedList, create, remove, create])
      faults.push(strikes.onRequest(request, () => 4)?.fault);
    for (const event of [
      { ...deleted, type: 'OPEN' as const },
      { ...deleted, type: 'ADDED' as const },
      deleted,
    ])
      faults.push(strikes.onEvent(watch, event)?.fault);
  }
  return { faults, records };
}

const ready = (name: string): FaultPlan => parsePlan(readyPlanText(name) ?? '');

describe('a ready plan', () => {
  it.each(readyPlanNames())('%s injects its fault into a typical exchange', (name) => {
    expect(play(ready(name)).records).not.toEqual([]);
  });

  it.each(readyPlanNames())('%s equals the explicit rules of its faults', (name) => {
    const plan = ready(name);
    const { faults, records } = play(plan);
    const explicit = parsePlan(JSON.stringify({ rules: explicitRules(plan, records) }));
    expect(play(explicit).faults).toEqual(faults);
  });

  it('is undefined for an unknown name', () => {
    expect(['plan.yaml', 'crash-between:0', 'toString'].map(readyPlanText)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('a rule of a fault plan with a condition', () => {
  const faults = (rules: readonly object[], requests: readonly Passing[]): readonly boolean[] => {
    const { strikes } = strikesOf(parsePlan(JSON.stringify({ rules })));
    return requests.map((request) => strikes.onRequest(request, () => 4) !== undefined);
  };

  it('leaves the first requests without a fault if it has skip', () => {
    const rules = [{ match: { verb: ['create', 'delete'], skip: 2 }, fault: 'refused' }];
    expect(faults(rules, [create, remove, list, create])).toEqual([false, false, false, true]);
  });

  it('waits for the fault of the rule that since names', () => {
    const rules = [
      { name: 'first', match: { verb: 'delete' }, fault: 'refused' },
      { match: { verb: 'create', since: 'first' }, fault: 'refused' },
    ];
    expect(faults(rules, [create, remove, create])).toEqual([false, true, true]);
  });

  it('affects no reads of the newest state if it has cached', () => {
    const rules = [{ match: { cached: true }, fault: 'stale-list' }];
    expect(faults(rules, [list, cachedList])).toEqual([false, true]);
  });

  it('counts requests for nth even if an earlier rule injects a fault', () => {
    const rules = [1, 2].map((nth) => ({ match: { verb: 'create', nth }, fault: 'refused' }));
    expect(faults(rules, [create, create, create])).toEqual([true, true, false]);
  });

  it('is rejected if since names no rule', () => {
    const rules = [{ match: { since: 'none' }, fault: 'refused' }];
    expect(() => parsePlan(JSON.stringify({ rules }))).toThrow('rules[0].match.since: received "none"');
  });
});
