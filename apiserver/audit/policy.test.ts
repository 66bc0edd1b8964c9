import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kubernetesVocabulary, orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { Attributes } from '../request.ts';
import { attributesOf } from './audit.fixture.ts';
import { parsePolicy } from './policy.ts';

const HEAD = 'apiVersion: audit.k8s.io/v1\nkind: Policy\n';
const policyOf = (rules: string) => parsePolicy(`${HEAD}${rules}`, kubernetesVocabulary);
const ruleOf = (rule: object) => policyOf(`rules: [${JSON.stringify({ level: 'Request', ...rule })}]`);
const matches = (rule: object, attributes: Partial<Attributes>): boolean =>
  ruleOf(rule).decide(attributesOf(attributes)).level === 'Request';

const PATH = { isResourceRequest: false, group: '', version: '', resource: '', namespace: '', name: '' };
const healthz = { ...PATH, path: '/healthz' };
const pods = (resources: readonly string[], more = {}) => ({
  resources: [{ group: '', resources, ...more }],
});

describe('audit policy rule', () => {
  it.each<readonly [matches: boolean, rule: object, attributes: Partial<Attributes>]>([
    [true, {}, {}],
    [true, {}, healthz],
    [true, { users: ['bob', 'alice'] }, {}],
    [false, { users: ['bob'] }, {}],
    [true, { userGroups: ['ops', 'dev'] }, {}],
    [false, { userGroups: ['ops'] }, {}],
    [false, { users: ['alice'], userGroups: ['ops'] }, {}],
    [true, { verbs: ['get'] }, {}],
    [false, { verbs: ['list'] }, {}],
    [true, { namespaces: ['a'] }, {}],
    [false, { namespaces: ['b'] }, {}],
    [true, { namespaces: [''] }, { resource: 'nodes', namespace: '' }],
    [false, { namespaces: [''] }, healthz],
    [true, { resources: [{ group: '' }] }, {}],
    [false, { resources: [{ group: 'apps' }] }, {}],
    [false, { resources: [{ group: '' }] }, healthz],
    [true, pods(['pods']), {}],
    [false, pods(['pods']), { subresource: 'log' }],
    [true, pods(['pods/log']), { subresource: 'log' }],
    [false, pods(['pods/log']), {}],
    [true, pods(['pods/*']), { subresource: 'log' }],
    [true, pods(['pods/*']), {}],
    [true, pods(['*/log']), { subresource: 'log' }],
    [false, pods(['*/log']), { subresource: 'status' }],
    [false, pods(['*/log']), {}],
    [true, pods(['*']), { subresource: 'log' }],
    [true, pods(['pods'], { resourceNames: ['p'] }), {}],
    [false, pods(['pods'], { resourceNames: ['q'] }), {}],
    [true, { nonResourceURLs: ['/healthz'] }, healthz],
    [true, { nonResourceURLs: ['/health*'] }, healthz],
    [true, { nonResourceURLs: ['*'] }, healthz],
    [false, { nonResourceURLs: ['/readyz'] }, healthz],
    [false, { nonResourceURLs: ['*'] }, {}],
  ])('decides %s for the rule %j and the request attributes %j', (expected, rule, attributes) => {
    expect(matches(rule, attributes)).toBe(expected);
  });

  it('takes precedence over later rules', () => {
    const policy = policyOf('rules: [{level: None, users: [alice]}, {level: Metadata, verbs: [get]}]');
    const levelOf = (changes: Partial<Attributes>) => policy.decide(attributesOf(changes)).level;
    expect(levelOf({})).toBe('None');
    expect(levelOf({ user: { username: 'bob', groups: [] } })).toBe('Metadata');
    expect(levelOf({ user: { username: 'bob', groups: [] }, verb: 'list' })).toBe('None');
  });

  it('omits its own stages and those of the policy', () => {
    const policy = policyOf(
      'omitStages: [RequestReceived]\nrules: [{level: Metadata, omitStages: [ResponseStarted]}]',
    );
    expect([...policy.decide(attributesOf()).omitStages]).toEqual(['RequestReceived', 'ResponseStarted']);
  });

  it.each([
    ['', 'false'],
    ['omitManagedFields: true\n', 'true'],
  ])("overrides the policy's default for managed fields (%j)", (whole, inherited) => {
    const policy = policyOf(
      `${whole}rules: [{level: Request, users: [alice]}, {level: Request, users: [bob], omitManagedFields: ${inherited === 'false'}}]`,
    );
    const omitted = (username: string) =>
      policy.decide(attributesOf({ user: { username, groups: [] } })).omitManagedFields;
    expect(String(omitted('alice'))).toBe(inherited);
    expect(omitted('bob')).toBe(inherited === 'false');
  });

  it('matches exactly the requests that the reference definition matches', () => {
    const word = fc.constantFrom('', 'a', 'b', 'pods', 'log');
    const list = (of: fc.Arbitrary<string>) => fc.array(of, { maxLength: 2 });
    const resource = fc.constantFrom('pods', 'a', '*', 'pods/*', '*/log', 'pods/log', 'a/log');
    const rule = fc.record({
      users: list(word),
      userGroups: list(word),
      verbs: list(word),
      namespaces: list(word),
      resources: fc.array(fc.record({ group: fc.constantFrom('', 'a'), resources: list(resource) }), {
        maxLength: 2,
      }),
    });
    const requested = fc.record({
      user: fc.record({ username: word, groups: list(word) }),
      verb: word,
      isResourceRequest: fc.boolean(),
      namespace: word,
      group: word,
      resource: word,
      subresource: word,
    });
    fc.assert(
      fc.property(rule, requested, (given, changes) => {
        const attributes = attributesOf(changes);
        expect(matches(given, changes)).toBe(definition(given, attributes));
      }),
    );
  });
});

interface Given {
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly namespaces: readonly string[];
  readonly resources: readonly { readonly group: string; readonly resources: readonly string[] }[];
}

/** True if the rule matches the request, by a reference implementation. */
function definition(rule: Given, { user, verb, ...target }: Attributes): boolean {
  const { users, userGroups, verbs, namespaces, resources } = rule;
  if (users.length > 0 && !users.includes(user.username)) return false;
  if (userGroups.length > 0 && !user.groups.some((group) => userGroups.includes(group))) return false;
  if (verbs.length > 0 && !verbs.includes(verb)) return false;
  if (namespaces.length === 0 && resources.length === 0) return true;
  if (!target.isResourceRequest) return false;
  if (namespaces.length > 0 && !namespaces.includes(target.namespace)) return false;
  if (resources.length === 0) return true;
  const { resource, subresource } = target;
  const names = ['*', `${resource}/*`];
  if (subresource === '') names.push(resource);
  else names.push(`${resource}/${subresource}`, `*/${subresource}`);
  return resources.some(
    (each) =>
      each.group === target.group &&
      (each.resources.length === 0 || each.resources.some((name) => names.includes(name))),
  );
}

describe('parsing an audit policy', () => {
  it.each([
    [
      'rules: [{level: All}]',
      'rules[0].level: Unsupported value: "All": supported values: "None", "Metadata", "Request", "RequestResponse"',
    ],
    ['rules: [{level: None}, {users: [a]}]', 'rules[1].level: Required value'],
    [
      'rules: [{level: None, nonResourceURLs: [healthz]}]',
      `rules[0].nonResourceURLs[0]: Invalid value: "healthz": non-resource URL rules must begin with a '/' character`,
    ],
    [
      'rules: [{level: None, nonResourceURLs: [/a*b]}]',
      `rules[0].nonResourceURLs[0]: Invalid value: "/a*b": non-resource URL wildcards '*' must be the final character of the rule`,
    ],
    [
      'rules: [{level: None, nonResourceURLs: [/a], namespaces: [b]}]',
      'rules[0].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular resources and non-resource URLs',
    ],
    [
      'rules: [{level: None, resources: [{resourceNames: [p]}]}]',
      'rules[0].resources.resourceNames: Invalid value: ["p"]: using resourceNames requires at least one resource',
    ],
    [
      'rules: [{level: None, omitStages: [Later]}]',
      'rules[0].omitStages[0]: Invalid value: "Later": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic',
    ],
    [
      'omitStages: [Later]\nrules: [{level: None}]',
      'omitStages[0]: Invalid value: "Later": allowed stages are',
    ],
    ['rules: []', 'loaded illegal policy with 0 rules'],
    ['', 'loaded illegal policy with 0 rules'],
    ['rules: [{level: None, user: [a]}]', 'strict decoding error: unknown field "rules[0].user"'],
    ['rules: 3', 'failed decoding: '],
    ['rules: [', 'failed decoding: yaml: '],
  ])('rejects %j with the reason', (text, reason) => {
    expect(() => policyOf(text)).toThrow(reason);
  });

  it('rejects an invalid group name, and lists both errors of one rule', () => {
    expect(() => policyOf('rules: [{level: All, resources: [{group: apps/v1}]}]')).toThrow(
      /^\[rules\[0\]\.level: .*, rules\[0\]\.resources\.group: Invalid value: "apps\/v1": /,
    );
  });

  it.each([
    [kubernetesVocabulary, 'apiVersion: audit.k8s.io/v1beta1\nkind: Policy\nrules: [{level: None}]'],
    [kubernetesVocabulary, 'apiVersion: audit.orch.io/v1\nkind: Policy\nrules: [{level: None}]'],
    [orchVocabulary, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: None}]'],
    [kubernetesVocabulary, 'kind: Policy\nrules: [{level: None}]'],
    [kubernetesVocabulary, '[]'],
  ])('rejects another kind or version', (vocabulary, text) => {
    expect(() => parsePolicy(text, vocabulary)).toThrow(vocabulary.apiVersion('audit', 'v1'));
  });
});
