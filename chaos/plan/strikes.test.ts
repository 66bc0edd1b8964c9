import { describe, expect, it } from 'vitest';
import { parseRequestInfo } from '../../apiserver/http/request/request-info.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { journalHead, journalLine, readChoices } from './journal.ts';
import { parsePlan } from './plan.ts';
import type { Passing } from './matching.ts';
import { type StrikeRecord, type Strikes, createStrikes } from './strikes.ts';

const passing = (method: string, url: string, userAgent = 'tester'): Passing => ({
  info: parseRequestInfo(method, url),
  user: 'somebody',
  userAgent,
});
const getPod = passing('GET', '/api/v1/namespaces/team/pods/web-1');
const createJob = passing('POST', '/apis/batch/v1/namespaces/team/jobs');
const noViews = () => 0;

const planOf = (...rules: readonly object[]) => parsePlan(JSON.stringify({ rules }));
const clock = createSimulatedClock();
const strikesOf = (rules: readonly object[], seed = 0): Strikes =>
  createStrikes({ plan: planOf(...rules), seed, clock });
const faults = (strikes: Strikes, request: Passing, times: number): readonly boolean[] =>
  Array.from({ length: times }, () => strikes.onRequest(request, noViews) !== undefined);

describe('a rule of a fault plan', () => {
  it.each([
    ['verb', { verb: 'get' }, true],
    ['another verb', { verb: 'list' }, false],
    ['resource', { resource: 'pods' }, true],
    ['a resource of a group', { resource: 'jobs.batch' }, false],
    ['namespace', { namespace: ['other', 'te*'] }, true],
    ['name', { name: 'web-*' }, true],
    ['another name', { name: 'web' }, false],
    ['user', { user: 'some*' }, true],
    ['user agent', { userAgent: 'kube-*' }, false],
    ['path', { path: '/api/v1/*' }, true],
  ])('matches by %s', (_, match, strikes) => {
    expect(faults(strikesOf([{ match, fault: 'refused' }]), getPod, 1)).toEqual([strikes]);
  });

  it('matches discovery requests only by path', () => {
    const discovery = passing('GET', '/apis/batch/v1');
    expect(faults(strikesOf([{ fault: 'unavailable' }]), discovery, 1)).toEqual([false]);
    expect(faults(strikesOf([{ match: { path: '/apis/*' }, fault: 'unavailable' }]), discovery, 1)).toEqual([
      true,
    ]);
  });

  it('counts the nth request among equal ones and ignores other requests', () => {
    const strikes = strikesOf([{ match: { nth: 2 }, fault: 'refused' }]);
    const struck = [getPod, createJob, getPod, getPod, createJob].map(
      (request) => strikes.onRequest(request, noViews) !== undefined,
    );
    expect(struck).toEqual([false, false, true, false, true]);
  });

  it('applies within its time window until its limit is reached', async () => {
    const strikes = strikesOf([{ match: { after: '10s', before: '20s', times: 2 }, fault: 'refused' }]);
    expect(faults(strikes, getPod, 1)).toEqual([false]);
    await clock.advance(10_000);
    expect(faults(strikes, getPod, 3)).toEqual([true, true, false]);
    const later = strikesOf([{ match: { before: '10s' }, fault: 'refused' }]);
    await clock.advance(10_000);
    expect(faults(later, getPod, 1)).toEqual([false]);
  });

  it('takes precedence over later rules', () => {
    const strikes = strikesOf([
      { match: { nth: 1 }, fault: 'refused' },
      { fault: { name: 'server-error', code: 504 } },
    ]);
    expect(strikes.onRequest(getPod, noViews)?.fault).toBe('refused');
    expect(strikes.onRequest(getPod, noViews)).toMatchObject({ fault: 'server-error', code: 504 });
  });

  it('injects no stale read if no older state is known', () => {
    const strikes = strikesOf([{ match: { verb: 'get' }, fault: 'stale-list' }]);
    expect(strikes.onRequest(getPod, noViews)).toBeUndefined();
    expect(strikes.onRequest(getPod, () => 3)?.back).toBeGreaterThan(0);
  });

  it('injects the same faults for the same seed, independently of other requests', () => {
    const rules = [{ match: { probability: 0.3 }, fault: 'refused' }];
    const alone = faults(strikesOf(rules, 7), createJob, 40);
    const busy = strikesOf(rules, 7);
    const among = alone.map(() => {
      faults(busy, getPod, 2);
      return faults(busy, createJob, 1)[0];
    });
    expect(among).toEqual(alone);
    expect(alone.filter(Boolean).length).toBeGreaterThan(3);
    expect(alone.filter(Boolean).length).toBeLessThan(30);
    expect(faults(strikesOf(rules, 8), createJob, 40)).not.toEqual(alone);
  });
});

describe('a fault journal', () => {
  const plan = planOf({ match: { probability: 0.4 }, fault: { name: 'slow-request', lasts: ['1s', '9s'] } });
  const run = (options: object): { lines: string; records: readonly StrikeRecord[] } => {
    const records: StrikeRecord[] = [];
    const strikes = createStrikes({
      plan,
      seed: 5,
      clock,
      onStrike: (each) => records.push(each),
      ...options,
    });
    for (let i = 0; i < 30; i++) strikes.onRequest(i % 3 === 0 ? getPod : createJob, noViews);
    return { lines: journalHead(plan, 5) + records.map(journalLine).join(''), records };
  };
  const told = (records: readonly StrikeRecord[]) => records.map((record) => ({ ...record, choices: [] }));

  it('reproduces the faults of a run under another seed, even if its last line is incomplete', () => {
    const { lines, records } = run({});
    expect(records.length).toBeGreaterThan(5);
    expect(told(run({ seed: 99, replay: readChoices(lines, plan) }).records)).toEqual(told(records));
    const torn = readChoices(lines.slice(0, -10), plan);
    expect(told(run({ seed: 99, replay: torn }).records)).toEqual(told(records).slice(0, -1));
  });

  it('is rejected if it is invalid or belongs to another plan', () => {
    expect(() => readChoices('hello', plan)).toThrow('a fault journal of version 1');
    expect(() => readChoices(journalHead(planOf(), 1), plan)).toThrow('another plan');
    expect(() => readChoices(`${journalHead(plan, 1)}{}\n{}\n`, plan)).toThrow('line 2');
  });
});
