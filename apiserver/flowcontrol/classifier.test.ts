import { describe, expect, it } from 'vitest';
import { flowSchemas } from '../../api/groups/flowcontrol/defaults.ts';
import type { UserInfo } from '../../api/kinds/kind.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { parseRequestInfo } from '../http/request/request-info.ts';
import { Classifier, type SchemaSpec } from './classifier.ts';

const user = (username: string, ...groups: string[]): UserInfo => ({
  username,
  groups: [...groups, 'system:authenticated'],
});

const suggested = flowSchemas(kubernetesVocabulary)
  .map(({ name, spec }) => ({ spec: spec as SchemaSpec, value: name }))
  .sort((a, b) => a.spec.matchingPrecedence - b.spec.matchingPrecedence);
const classify = (who: UserInfo, method: string, url: string): string =>
  new Classifier(suggested, 'nothing').classify(who, parseRequestInfo(method, url));

const PODS = '/api/v1/namespaces/default/pods';
const account = user('system:serviceaccount:default:builder', 'system:serviceaccounts');
const systemAccount = user('system:serviceaccount:kube-system:job-controller', 'system:serviceaccounts');
const node = user('system:node:n1', 'system:nodes');
const manager = user('system:kube-controller-manager');

describe('flow schemas of every cluster', () => {
  it.each<[string, UserInfo, string, string]>([
    ['exempt', user('root', 'system:masters'), 'GET', PODS],
    ['probes', { username: 'system:anonymous', groups: ['system:unauthenticated'] }, 'GET', '/readyz'],
    ['probes', user('alice'), 'GET', '/healthz/ping'],
    ['global-default', user('alice'), 'GET', '/version'],
    ['global-default', user('alice'), 'GET', PODS],
    ['global-default', { username: 'system:anonymous', groups: ['system:unauthenticated'] }, 'GET', PODS],
    ['nothing', { username: 'stray', groups: [] }, 'GET', PODS],
    ['service-accounts', account, 'POST', PODS],
    ['kube-system-service-accounts', systemAccount, 'GET', PODS],
    [
      'system-leader-election',
      manager,
      'PUT',
      '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager',
    ],
    ['system-leader-election', manager, 'GET', '/api/v1/namespaces/kube-system/configmaps/lock'],
    ['kube-controller-manager', manager, 'GET', '/api/v1/namespaces/other/configmaps/lock'],
    ['kube-controller-manager', manager, 'DELETE', '/api/v1/namespaces/kube-system/configmaps/lock'],
    ['workload-leader-election', systemAccount, 'GET', '/api/v1/namespaces/other/endpoints/lock'],
    ['system-node-high', node, 'PATCH', '/api/v1/nodes/n1/status'],
    ['system-node-high', node, 'PUT', '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1'],
    ['system-nodes', node, 'GET', PODS],
  ])('include %s, which matches %j %s %s', (schema, who, method, url) => {
    expect(classify(who, method, url)).toBe(schema);
  });
});

const matches = (rule: object, who: UserInfo, method: string, url: string): boolean => {
  const spec = { priorityLevelConfiguration: { name: 'l' }, matchingPrecedence: 1, rules: [rule] };
  const classifier = new Classifier([{ spec: spec as unknown as SchemaSpec, value: 'yes' }], 'no');
  return classifier.classify(who, parseRequestInfo(method, url)) === 'yes';
};
const ALICE = [{ kind: 'User', user: { name: 'alice' } }];
const resources = (changes: object) => ({
  subjects: ALICE,
  resourceRules: [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'], ...changes },
  ],
});

describe('flow schema rule', () => {
  it.each([
    [{ kind: 'User', user: { name: '*' } }, true],
    [{ kind: 'User', user: { name: 'bob' } }, false],
    [{ kind: 'Group', group: { name: '*' } }, true],
    [{ kind: 'Group', group: { name: 'devs' } }, true],
    [{ kind: 'Group', group: { name: 'ops' } }, false],
    [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'a', name: '*' } }, false],
    [{ kind: 'User' }, false],
  ])('with subject %j matches: %s', (subject, expected) => {
    expect(matches({ ...resources({}), subjects: [subject] }, user('alice', 'devs'), 'GET', PODS)).toBe(
      expected,
    );
  });

  it.each([
    [{ verbs: ['get'] }, 'GET', `${PODS}/p`, true],
    [{ verbs: ['get'] }, 'GET', PODS, false],
    [{ apiGroups: ['apps'] }, 'GET', PODS, false],
    [{ resources: ['pods'] }, 'GET', `${PODS}/p/status`, false],
    [{ resources: ['pods/status'] }, 'GET', `${PODS}/p/status`, true],
    [{ namespaces: ['other'] }, 'GET', PODS, false],
    [{ namespaces: ['default'], clusterScope: false }, 'GET', '/api/v1/pods', false],
    [{ namespaces: [] }, 'GET', '/api/v1/pods', true],
    [{ namespaces: [] }, 'GET', PODS, false],
  ])('with resources %j matches %s %s: %s', (changes, method, url, expected) => {
    expect(matches(resources(changes), user('alice'), method, url)).toBe(expected);
  });

  it.each([
    [['/healthz'], '/healthz', true],
    [['/healthz'], '/healthz/etcd', true],
    [['/healthz'], '/healthzy', false],
    [['/healthz/*'], '/healthz/etcd', true],
    [['/healthz/*'], '/healthz', false],
    [['*'], '/anything', true],
  ])('with paths %j matches %s: %s', (nonResourceURLs, path, expected) => {
    const rule = { subjects: ALICE, nonResourceRules: [{ verbs: ['get'], nonResourceURLs }] };
    expect(matches(rule, user('alice'), 'GET', path)).toBe(expected);
  });

  it('never matches paths if it has resources, nor resources if it has paths', () => {
    expect(matches(resources({}), user('alice'), 'GET', '/version')).toBe(false);
    const rule = { subjects: ALICE, nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }] };
    expect(matches(rule, user('alice'), 'GET', PODS)).toBe(false);
  });
});

describe('flow classifier', () => {
  it('caches users by name and groups, and never confuses two users', () => {
    const classifier = new Classifier(suggested, 'nothing');
    const info = parseRequestInfo('GET', PODS);
    const of = (who: UserInfo) => classifier.classify(who, info);
    expect([of(user('a')), of(user('a', 'system:masters')), of(user('a'))]).toEqual([
      'global-default',
      'exempt',
      'global-default',
    ]);
  });

  it('classifies more users than it caches, and names too long to cache', () => {
    const classifier = new Classifier(suggested, 'nothing');
    const info = parseRequestInfo('GET', PODS);
    for (let at = 0; at < 5_000; at++) classifier.classify(user(`user-${at}`), info);
    expect(classifier.classify(user('x'.repeat(5_000)), info)).toBe('global-default');
  });
});
