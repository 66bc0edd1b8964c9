import { describe, expect, it } from 'vitest';
import { HistoryBuilder, configMap } from './histories.fixture.ts';
import { judgeHistory } from './judge.ts';
import { parseUserRules } from './user-rules.ts';

const one = (rule: object): string => JSON.stringify({ rules: [{ name: 'own', ...rule }] });

function history(): HistoryBuilder {
  const built = new HistoryBuilder();
  const page = built.write(
    'create',
    configMap('page', '1', { size: 'small' }, { labels: { 'example.com/keep': 'yes' } }),
  );
  built.delete(page);
  built.write('create', configMap('one', '2', { app: 'x' }));
  built.write('create', configMap('two', '3', { app: 'x' }));
  return built;
}

const findings = (rule: object): readonly string[] =>
  judgeHistory(history(), undefined, parseUserRules(one(rule))).findings.map(({ key }) => key);

describe("a user's rule", () => {
  it.each<[what: string, rule: object, keys: readonly string[]]>([
    [
      'a forbidden delete',
      {
        match: { verb: 'delete' },
        when: [{ path: "$.before.metadata.labels['example.com/keep']", is: 'exists' }],
        never: true,
      },
      ['configmaps default/page'],
    ],
    [
      'no delete of objects without the label',
      {
        match: { verb: 'delete' },
        when: [{ path: "$.before.metadata.labels['example.com/keep']", is: 'absent' }],
        never: true,
      },
      [],
    ],
    [
      'a missing required value',
      { match: { verb: 'create' }, require: [{ path: '$.after.data.app', value: 'x' }] },
      ['configmaps default/page'],
    ],
    [
      'too many objects of a group',
      { on: 'end', atMost: { count: 1, by: '$.object.data.app' } },
      ['configmaps default/two'],
    ],
    ['no group within its limit', { on: 'end', atMost: { count: 2, by: '$.object.data.app' } }, []],
    [
      'a difference between two paths',
      { match: { verb: 'create' }, require: [{ path: '$.after.data', valueOf: '$.request.body.data' }] },
      [],
    ],
    [
      'a request by its name',
      { on: 'request', match: { name: 'pa*' }, never: true },
      ['configmaps default/page'],
    ],
  ])('reports %s', (_, rule, keys) => {
    expect(findings(rule)).toEqual(keys);
  });

  it.each([
    [
      'an unknown comparison',
      { when: [{ path: '$.a', is: 'near', value: 1 }], never: true },
      /expected exists, absent/,
    ],
    ['an invalid path', { when: [{ path: 'a.b', is: 'exists' }], never: true }, /expected a path such as/],
    ['no requirement', {}, /expected exactly one of never, require and atMost/],
    ['an unknown fact', { on: 'dream', never: true }, /expected request, write, version, end/],
    [
      'a value for exists',
      { when: [{ path: '$.a', is: 'exists', value: 1 }], never: true },
      /no value for exists/,
    ],
  ])('is rejected for %s', (_, rule, message) => {
    expect(() => parseUserRules(one(rule))).toThrow(message);
  });
});
