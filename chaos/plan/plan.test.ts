import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { faultKinds } from '../world/fault-kinds.ts';
import { isAnyOf } from './patterns.ts';
import { eventTypes, parsePlan } from './plan.ts';
import { wireFaults } from './wire-faults.ts';

const one = (rule: object): string => JSON.stringify({ rules: [rule] });

const faultName = fc.constantFrom(...Object.keys(wireFaults));
const texts = fc.array(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 3 });
const rule = fc.record(
  {
    match: fc.record(
      {
        resource: texts,
        namespace: texts,
        name: texts,
        user: texts,
        userAgent: texts,
        path: texts,
        nth: fc.integer({ min: 1, max: 1_000 }),
        probability: fc.double({ min: 0, max: 1, noNaN: true }),
        times: fc.integer({ min: 1, max: 1_000 }),
      },
      { requiredKeys: [] },
    ),
    fault: faultName,
  },
  { requiredKeys: ['fault'] },
);
const plan = fc.record({ rules: fc.array(rule, { maxLength: 5 }) });

describe('a fault plan', () => {
  it('has the same meaning in YAML and JSON', () => {
    fc.assert(
      fc.property(plan, (given) => {
        const fromJson = parsePlan(JSON.stringify(given));
        expect(parsePlan(stringify(given)).rules).toEqual(fromJson.rules);
        expect(fromJson.rules.map(({ fault }) => fault.name)).toEqual(given.rules.map(({ fault }) => fault));
      }),
      { numRuns: 25 },
    );
  });

  it('is parsed or rejected with ERR_PLAN for any input', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        try {
          parsePlan(text);
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: 'ERR_PLAN' });
        }
      }),
      { numRuns: 100 },
    );
  });

  it('rejects unknown fields at every level', () => {
    fc.assert(
      fc.property(rule, fc.constantFrom('rule', 'match', 'fault'), (given, where) => {
        const unknown = { surely: 1 };
        const broken =
          where === 'rule'
            ? { ...given, ...unknown }
            : where === 'match'
              ? { ...given, match: { ...given.match, ...unknown } }
              : { ...given, fault: { name: given.fault, ...unknown } };
        expect(() => parsePlan(one(broken))).toThrow(/surely: unknown field, expected /);
      }),
      { numRuns: 25 },
    );
  });

  it.each([
    ['no rules', '{}', 'rules: received undefined, expected a list'],
    [
      'a fault outside the wire faults',
      one({ fault: 'touched' }),
      'rules[0].fault.name: received "touched", expected slow-request',
    ],
    [
      'a verb that the fault cannot affect',
      one({ match: { verb: 'get' }, fault: 'conflict' }),
      'expected update, patch, delete, which conflict can affect',
    ],
    [
      'a detail that the fault does not have',
      one({ fault: { name: 'refused', lasts: '1s' } }),
      'expected no lasts for refused, which takes nothing',
    ],
    [
      'a duration without unit',
      one({ fault: { name: 'slow-request', lasts: '5' } }),
      'rules[0].fault.lasts: received "5", expected a duration',
    ],
    [
      'a range in the wrong order',
      one({ fault: { name: 'slow-request', lasts: ['5s', '1s'] } }),
      'the shortest and the longest',
    ],
    [
      'a probability above one',
      one({ match: { probability: 1.5 }, fault: 'refused' }),
      'rules[0].match.probability: received 1.5, expected a number from 0 to 1',
    ],
    [
      'an end before the start',
      one({ match: { after: '5m', before: '1m' }, fault: 'refused' }),
      'after is not earlier than before',
    ],
    [
      'an event for a request fault',
      one({ match: { event: 'ADDED' }, fault: 'refused' }),
      'no event for refused',
    ],
    [
      'a repeated OPEN event',
      one({ match: { event: 'OPEN' }, fault: 'repeated-event' }),
      'cannot be repeated',
    ],
    [
      'a duplicate name',
      JSON.stringify({
        rules: [
          { name: 'a', fault: 'refused' },
          { name: 'a', fault: 'zombie' },
        ],
      }),
      'rules[1].name: "a" is the name of another rule',
    ],
    [
      'a status code that is not 5xx',
      one({ fault: { name: 'server-error', code: 404 } }),
      'a whole number from 500 to 599',
    ],
  ])('rejects %s', (_, text, why) => {
    expect(() => parsePlan(text)).toThrow(why);
  });

  it('accepts only faults of the simulated world', () => {
    const known = new Set<string>(faultKinds.map(({ name }) => name));
    expect(Object.keys(wireFaults).filter((name) => !known.has(name))).toEqual([]);
    expect(faultKinds.every(({ numbers }) => numbers.every((each) => /^F\d+$/.test(each)))).toBe(true);
  });

  it('lists the valid event types in the error for an unknown one', () => {
    expect(() => parsePlan(one({ match: { event: 'GONE' }, fault: 'cut-watch' }))).toThrow(
      eventTypes.join(', '),
    );
  });
});

describe('a pattern', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });

  it('matches the same strings as the regular expression in which .* replaces *', () => {
    fc.assert(
      fc.property(letters, letters, (pattern, text) => {
        const asExpression = new RegExp(`^${pattern.split('*').join('[^]*')}$`);
        expect(isAnyOf([pattern], text)).toBe(asExpression.test(text));
      }),
    );
  });
});
