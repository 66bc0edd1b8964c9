import { describe, expect, it } from 'vitest';
import { cronJobs, jobs } from '../../api/groups/batch-v1.ts';
import { certificateSigningRequests } from '../../api/groups/certificates-v1.ts';
import { configMaps, namespaces, secrets, serviceAccounts } from '../../api/groups/core-v1.ts';
import { clusterRoles } from '../../api/groups/rbac-v1.ts';
import type { ApiObject } from '../../api/kinds/kind.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { toTime } from '../../base/clock/clock.ts';
import { type Deed, judge } from './history.fixture.ts';
import { allInvariants } from './index.ts';

const HOUR = 3_600_000;
const { namespaces: places, secretTypes, signers } = orchVocabulary;
const all = allInvariants(orchVocabulary, {
  namespaced: ['/configmaps', '/secrets', '/serviceaccounts', 'batch/jobs', 'batch/cronjobs'],
  cluster: ['/namespaces'],
});
const of = (id: string) => all.find((each) => each.id === id);
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** An object with a name, in the namespace `team` unless told otherwise. */
const named = (name: string, rest: object = {}, metadata: object = {}): ApiObject => ({
  ...rest,
  metadata: { name, namespace: 'team', uid: name, resourceVersion: '1', ...metadata },
});
const cluster = { namespace: '' };
const token = (name: string, expiresMs: number): ApiObject =>
  named(
    name,
    { type: secretTypes.bootstrapToken, data: { expiration: base64(toTime(expiresMs)) } },
    { namespace: places.system },
  );
const condition = (type: string, ms = 0) => ({ type, status: 'True', lastUpdateTime: toTime(ms) });
const request = (status: object = {}, spec: object = { signerName: signers.nodeClient }): ApiObject =>
  named('csr', { spec, status }, { ...cluster, creationTimestamp: toTime(0) });
const owned = (name: string, owner: string, rest: object = {}): ApiObject =>
  named(name, rest, {
    ownerReferences: [
      {
        apiVersion: 'v1',
        kind: 'CronJob',
        name: owner,
        uid: owner,
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  });
const cronJob = (spec: object, status: object = {}, metadata: object = {}): ApiObject =>
  named('report', { kind: 'CronJob', spec: { schedule: '0 * * * *', ...spec }, status }, metadata);
const finished = { status: { conditions: [{ type: 'Complete', status: 'True' }] } };
const account = named('app', {});
const serviceToken = named(
  'app-token-x',
  { type: secretTypes.serviceAccountToken },
  { annotations: { [orchVocabulary.serviceAccountName]: 'app' } },
);
const role = (name: string, verbs: readonly string[], rest: object = {}): ApiObject =>
  named(name, { rules: verbs.map((verb) => ({ verbs: [verb] })), ...rest }, cluster);
const aggregated = { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { x: 'true' } }] } };
const namespace = (
  metadata: object = {},
  phase = 'Active',
  finalizers = [orchVocabulary.namespaceFinalizer],
) => named('team', { spec: { finalizers }, status: { phase } }, { ...cluster, ...metadata });
const ending = { deletionTimestamp: toTime(0) };
const clusterInfo = (data: object): ApiObject =>
  named('cluster-info', { data: { kubeconfig: 'x', ...data } }, { namespace: places.public });
const signing = (usage = 'true'): ApiObject =>
  named(
    'bootstrap-token-aaaaaa',
    {
      type: secretTypes.bootstrapToken,
      data: {
        'token-id': base64('aaaaaa'),
        'token-secret': base64('secretsecretsecr'),
        'usage-bootstrap-signing': base64(usage),
      },
    },
    { namespace: places.system },
  );

const makes = (actor: string, kind: Deed['kind'], after: ApiObject, atMs = 0): Deed => ({
  actor,
  kind,
  after,
  atMs,
});
const drops = (actor: string, kind: Deed['kind'], before: ApiObject, atMs = 0): Deed => ({
  actor,
  kind,
  before,
  atMs,
});
const turns = (
  actor: string,
  kind: Deed['kind'],
  before: ApiObject,
  after: ApiObject,
  more: Partial<Deed> = {},
): Deed => ({ actor, kind, before, after, ...more });
const minutes = (hour: number): string => `report-${hour * 60}`;

/** For each invariant a history that breaks it, one that does not, and when all is at rest. */
const histories: readonly [id: string, breaks: readonly Deed[], keeps: readonly Deed[], restMs?: number][] = [
  [
    'generic/G3',
    [turns('x', configMaps, named('a'), named('a', {}, { resourceVersion: '2' }))],
    [turns('x', configMaps, named('a'), named('a', { data: { a: 'b' } }))],
  ],
  [
    'generic/G3-loop',
    Array.from({ length: 20 }, (_, n) => turns('x', configMaps, named('a'), named('a', { n }))),
    Array.from({ length: 20 }, (_, n) =>
      turns(n % 2 ? 'x' : 'user', configMaps, named('a'), named('a', { n })),
    ),
  ],
  [
    'generic/G11',
    [makes('x', jobs, named('a', { status: { observedGeneration: 2 } }, { generation: 1 }))],
    [makes('x', jobs, named('a', { status: { observedGeneration: 1 } }, { generation: 1 }))],
  ],
  [
    'apiserver/W1',
    [
      turns(
        'user',
        configMaps,
        named('a', {}, { resourceVersion: '9' }),
        named('a', {}, { resourceVersion: '10' }),
      ),
      turns(
        'user',
        configMaps,
        named('a', {}, { resourceVersion: '10' }),
        named('a', {}, { resourceVersion: '9' }),
      ),
    ],
    [
      turns(
        'user',
        configMaps,
        named('a', {}, { resourceVersion: '9' }),
        named('a', {}, { resourceVersion: '10' }),
      ),
    ],
  ],
  [
    'apiserver/W2',
    [
      makes('user', configMaps, named('a')),
      drops('user', configMaps, named('a')),
      makes('user', configMaps, named('a')),
    ],
    [
      makes('user', configMaps, named('a')),
      drops('user', configMaps, named('a')),
      makes('user', configMaps, named('a', {}, { uid: 'other' })),
    ],
  ],
  [
    'apiserver/W3',
    [turns('user', configMaps, named('a', {}, ending), named('a'))],
    [turns('user', configMaps, named('a', {}, { ...ending, finalizers: ['a/b'] }), named('a', {}, ending))],
  ],
  [
    'tokencleaner/N1',
    [drops('tokencleaner', secrets, named('plain'))],
    [drops('tokencleaner', secrets, token('t', 0))],
  ],
  [
    'tokencleaner/N2',
    [drops('tokencleaner', secrets, token('t', HOUR))],
    [drops('tokencleaner', secrets, token('t', HOUR), HOUR)],
  ],
  [
    'tokencleaner/N3',
    [
      turns('user', secrets, token('t', 0), token('t', HOUR)),
      drops('tokencleaner', secrets, token('t', HOUR)),
    ],
    [
      turns('user', secrets, token('t', 0), token('t', HOUR)),
      drops('tokencleaner', secrets, token('t', HOUR), HOUR),
    ],
  ],
  [
    'tokencleaner/E1',
    [makes('user', secrets, token('t', HOUR))],
    [makes('user', secrets, token('t', 2 * HOUR))],
    HOUR,
  ],
  [
    'csrcleaner/N1',
    [drops('csrcleaner', certificateSigningRequests, request(), HOUR)],
    [drops('csrcleaner', certificateSigningRequests, request(), 24 * HOUR)],
  ],
  [
    'csrcleaner/N2',
    [
      makes('user', certificateSigningRequests, request()),
      drops('csrcleaner', certificateSigningRequests, request(), 1),
    ],
    [
      makes('user', certificateSigningRequests, request()),
      drops('csrcleaner', certificateSigningRequests, request(), 24 * HOUR),
    ],
  ],
  [
    'csrcleaner/N3',
    [
      drops(
        'csrcleaner',
        certificateSigningRequests,
        request({ conditions: [condition('Denied', HOUR)] }),
        HOUR + 1,
      ),
    ],
    [
      drops(
        'csrcleaner',
        certificateSigningRequests,
        request({ conditions: [condition('Denied', HOUR)] }),
        2 * HOUR,
      ),
    ],
  ],
  ['csrcleaner/E1', [makes('user', certificateSigningRequests, request())], [], 24 * HOUR],
  [
    'csrapproving/N1',
    [
      turns(
        'csrapproving',
        certificateSigningRequests,
        request({}, { signerName: 'other/signer' }),
        request(),
      ),
    ],
    [turns('csrapproving', certificateSigningRequests, request(), request())],
  ],
  [
    'csrapproving/N2',
    [
      turns(
        'csrapproving',
        certificateSigningRequests,
        request({ conditions: [condition('Denied')] }),
        request(),
      ),
    ],
    [
      turns(
        'csrapproving',
        certificateSigningRequests,
        request(),
        request({ conditions: [condition('Approved')] }),
      ),
    ],
  ],
  [
    'csrapproving/N3',
    [
      makes(
        'user',
        certificateSigningRequests,
        request({ conditions: [condition('Approved'), condition('Denied')] }),
      ),
    ],
    [makes('user', certificateSigningRequests, request({ conditions: [condition('Approved')] }))],
  ],
  [
    'csrapproving/N4',
    [
      turns('csrapproving', certificateSigningRequests, request(), request({ certificate: 'c' }), {
        subresource: 'approval',
      }),
    ],
    [
      turns(
        'csrapproving',
        certificateSigningRequests,
        request(),
        request({ conditions: [condition('Approved')] }),
        { subresource: 'approval' },
      ),
    ],
  ],
  [
    'csrapproving/E1',
    [makes('user', certificateSigningRequests, request())],
    [makes('user', certificateSigningRequests, request({ conditions: [condition('Denied')] }))],
  ],
  [
    'csrsigning/N1',
    [turns('csrsigning', certificateSigningRequests, request(), request({ certificate: 'c' }))],
    [
      turns(
        'csrsigning',
        certificateSigningRequests,
        request({ conditions: [condition('Approved')] }),
        request({ certificate: 'c' }),
      ),
    ],
  ],
  [
    'csrsigning/N2',
    [
      turns(
        'csrsigning',
        certificateSigningRequests,
        request({}, { signerName: 'other/signer' }),
        request({ certificate: 'c' }),
      ),
    ],
    [turns('csrsigning', certificateSigningRequests, request(), request({ certificate: 'c' }))],
  ],
  [
    'csrsigning/N3',
    [
      makes(
        'x',
        certificateSigningRequests,
        request({ certificate: 'c', conditions: [condition('Failed')] }),
      ),
    ],
    [makes('x', certificateSigningRequests, request({ conditions: [condition('Failed')] }))],
  ],
  [
    'csrsigning/N4',
    [
      turns(
        'csrsigning',
        certificateSigningRequests,
        request(),
        request({ certificate: base64('no certificate') }),
      ),
    ],
    [turns('csrsigning', certificateSigningRequests, request(), request())],
  ],
  [
    'csrsigning/N6',
    [
      turns(
        'csrsigning',
        certificateSigningRequests,
        request({ certificate: 'c' }),
        request({ certificate: 'd' }),
      ),
    ],
    [
      turns(
        'csrsigning',
        certificateSigningRequests,
        request({ certificate: 'c' }),
        request({ certificate: 'c' }),
      ),
    ],
  ],
  [
    'csrsigning/E1',
    [makes('user', certificateSigningRequests, request({ conditions: [condition('Approved')] }))],
    [
      makes(
        'user',
        certificateSigningRequests,
        request({ conditions: [condition('Approved'), condition('Failed')] }),
      ),
    ],
  ],
  [
    'serviceaccount/N1',
    [
      makes('user', namespaces, namespace({}, 'Terminating')),
      makes('serviceaccount', serviceAccounts, named('default')),
    ],
    [makes('user', namespaces, namespace()), makes('serviceaccount', serviceAccounts, named('default'))],
  ],
  [
    'serviceaccount/N2',
    [drops('serviceaccount', serviceAccounts, named('default'))],
    [makes('serviceaccount', serviceAccounts, named('default'))],
  ],
  [
    'serviceaccount/N3',
    [makes('serviceaccount', serviceAccounts, named('other'))],
    [makes('serviceaccount', serviceAccounts, named('default'))],
  ],
  [
    'serviceaccount/E1',
    [makes('user', namespaces, namespace())],
    [makes('user', namespaces, namespace()), makes('serviceaccount', serviceAccounts, named('default'))],
  ],
  [
    'serviceaccount-token/N1',
    [
      makes('user', serviceAccounts, account),
      makes('user', secrets, serviceToken),
      drops('serviceaccount-token', secrets, serviceToken),
    ],
    [makes('user', secrets, serviceToken), drops('serviceaccount-token', secrets, serviceToken)],
  ],
  [
    'serviceaccount-token/N2',
    [
      turns(
        'serviceaccount-token',
        secrets,
        serviceToken,
        named(
          'app-token-x',
          { data: { token: base64(`a.${base64('{}')}.b`) } },
          { annotations: { [orchVocabulary.serviceAccountUid]: 'app' } },
        ),
      ),
    ],
    [
      turns(
        'serviceaccount-token',
        secrets,
        serviceToken,
        named(
          'app-token-x',
          { data: { token: base64(`a.${base64('{"uid":"app"}')}.b`) } },
          { annotations: { [orchVocabulary.serviceAccountUid]: 'app' } },
        ),
      ),
    ],
  ],
  [
    'serviceaccount-token/N3',
    [
      turns(
        'serviceaccount-token',
        secrets,
        named('s', { data: { token: 'a' } }),
        named('s', { data: { token: 'b' } }),
      ),
    ],
    [turns('serviceaccount-token', secrets, named('s', {}), named('s', { data: { token: 'b' } }))],
  ],
  [
    'serviceaccount-token/N4',
    [turns('serviceaccount-token', secrets, named('s', { data: { note: 'a' } }), named('s', { data: {} }))],
    [
      turns(
        'serviceaccount-token',
        secrets,
        named('s', { data: { note: 'a' } }),
        named('s', { data: { note: 'a' } }),
      ),
    ],
  ],
  [
    'serviceaccount-token/E1',
    [makes('user', serviceAccounts, account), makes('user', secrets, serviceToken)],
    [makes('user', serviceAccounts, account)],
  ],
  [
    'serviceaccount-token/E3',
    [makes('user', secrets, serviceToken)],
    [makes('user', serviceAccounts, account)],
  ],
  [
    'serviceaccount-token/E4',
    [makes('user', serviceAccounts, named('app', { secrets: [{ name: 'app-token-x' }] }))],
    [makes('user', serviceAccounts, named('app', { secrets: [{ name: 'of-the-user' }] }))],
  ],
  [
    'clusterrole-aggregation/N1',
    [
      turns(
        'clusterrole-aggregation',
        clusterRoles,
        role('a', [], aggregated),
        role('a', ['get'], aggregated),
      ),
    ],
    [
      makes('user', clusterRoles, role('source', ['get'])),
      turns(
        'clusterrole-aggregation',
        clusterRoles,
        role('a', [], aggregated),
        role('a', ['get'], aggregated),
      ),
    ],
  ],
  [
    'clusterrole-aggregation/N2',
    [turns('clusterrole-aggregation', clusterRoles, role('a', []), role('a', ['get']))],
    [
      turns(
        'clusterrole-aggregation',
        clusterRoles,
        role('a', [], aggregated),
        role('a', ['get'], aggregated),
      ),
    ],
  ],
  [
    'clusterrole-aggregation/N3',
    [
      turns(
        'clusterrole-aggregation',
        clusterRoles,
        role('a', ['get', 'list'], aggregated),
        role('a', ['list', 'get'], aggregated),
      ),
    ],
    [
      turns(
        'clusterrole-aggregation',
        clusterRoles,
        role('a', ['get'], aggregated),
        role('a', ['list'], aggregated),
      ),
    ],
  ],
  [
    'clusterrole-aggregation/E1',
    [
      makes('user', clusterRoles, role('a', [], aggregated)),
      makes(
        'user',
        clusterRoles,
        named('source', { rules: [{ verbs: ['get'] }] }, { ...cluster, labels: { x: 'true' } }),
      ),
    ],
    [makes('user', clusterRoles, role('a', [], aggregated))],
  ],
  [
    'clusterrole-aggregation/E2',
    [makes('user', clusterRoles, role('a', ['get'], aggregated))],
    [makes('user', clusterRoles, role('a', [], aggregated))],
  ],
  [
    'bootstrapsigner/N2',
    [
      makes('user', secrets, signing('false')),
      turns('bootstrapsigner', configMaps, clusterInfo({}), clusterInfo({ 'jws-kubeconfig-aaaaaa': 'x' })),
    ],
    [
      makes('user', secrets, signing()),
      turns('bootstrapsigner', configMaps, clusterInfo({}), clusterInfo({ 'jws-kubeconfig-aaaaaa': 'x' })),
    ],
  ],
  [
    'bootstrapsigner/N3',
    [turns('bootstrapsigner', configMaps, clusterInfo({ note: 'a' }), clusterInfo({}))],
    [
      turns(
        'bootstrapsigner',
        configMaps,
        clusterInfo({ note: 'a' }),
        clusterInfo({ note: 'a', 'jws-kubeconfig-aaaaaa': 'x' }),
      ),
    ],
  ],
  [
    'bootstrapsigner/N5',
    [
      makes('user', secrets, signing()),
      turns('bootstrapsigner', configMaps, clusterInfo({}), clusterInfo({ x: 'secretsecretsecr' })),
    ],
    [
      makes('user', secrets, signing()),
      turns('bootstrapsigner', configMaps, clusterInfo({}), clusterInfo({})),
    ],
  ],
  [
    'bootstrapsigner/N1',
    [
      makes('user', configMaps, clusterInfo({ 'jws-kubeconfig-aaaaaa': 'x..y' })),
      makes('user', secrets, signing()),
    ],
    [makes('user', configMaps, clusterInfo({})), makes('user', secrets, signing())],
  ],
  [
    'bootstrapsigner/E1',
    [makes('user', configMaps, clusterInfo({})), makes('user', secrets, signing())],
    [makes('user', configMaps, clusterInfo({})), makes('user', secrets, signing('false'))],
  ],
  [
    'cronjob/N1',
    [
      makes('user', cronJobs, cronJob({})),
      makes('cronjob', jobs, owned(minutes(1), 'report'), HOUR),
      drops('user', jobs, owned(minutes(1), 'report'), HOUR),
      makes('cronjob', jobs, owned(minutes(1), 'report'), HOUR),
    ],
    [
      makes('user', cronJobs, cronJob({})),
      makes('cronjob', jobs, owned(minutes(1), 'report'), HOUR),
      makes('cronjob', jobs, owned(minutes(2), 'report'), 2 * HOUR),
    ],
  ],
  [
    'cronjob/N2',
    [
      makes('user', cronJobs, cronJob({ concurrencyPolicy: 'Forbid' })),
      makes('cronjob', jobs, owned(minutes(1), 'report')),
      makes('cronjob', jobs, owned(minutes(2), 'report')),
    ],
    [
      makes('user', cronJobs, cronJob({ concurrencyPolicy: 'Forbid' })),
      makes('cronjob', jobs, owned(minutes(1), 'report', finished)),
      makes('cronjob', jobs, owned(minutes(2), 'report')),
    ],
  ],
  [
    'cronjob/N3',
    [
      makes('user', cronJobs, cronJob({ concurrencyPolicy: 'Replace' })),
      makes('cronjob', jobs, owned(minutes(1), 'report')),
      makes('cronjob', jobs, owned(minutes(2), 'report')),
    ],
    [
      makes('user', cronJobs, cronJob({ concurrencyPolicy: 'Allow' })),
      makes('cronjob', jobs, owned(minutes(1), 'report')),
      makes('cronjob', jobs, owned(minutes(2), 'report')),
    ],
  ],
  [
    'cronjob/N4',
    [makes('user', cronJobs, cronJob({})), makes('cronjob', jobs, owned(minutes(2), 'report'), HOUR)],
    [makes('user', cronJobs, cronJob({})), makes('cronjob', jobs, owned(minutes(1), 'report'), HOUR)],
  ],
  [
    'cronjob/N5',
    [
      turns(
        'cronjob',
        cronJobs,
        cronJob({ suspend: true }),
        cronJob({ suspend: true }, { active: [{ name: minutes(1) }] }),
      ),
    ],
    [turns('cronjob', cronJobs, cronJob({}), cronJob({}, { active: [{ name: minutes(1) }] }))],
  ],
  [
    'cronjob/N6',
    [turns('cronjob', cronJobs, cronJob({}), cronJob({}, { active: [{ name: 'report-61' }] }))],
    [turns('cronjob', cronJobs, cronJob({}), cronJob({}, { active: [{ name: minutes(1) }] }))],
  ],
  [
    'cronjob/N7',
    [
      turns(
        'cronjob',
        cronJobs,
        cronJob({}, { lastScheduleTime: toTime(HOUR) }),
        cronJob({}, { lastScheduleTime: toTime(0) }),
      ),
    ],
    [
      turns(
        'cronjob',
        cronJobs,
        cronJob({}, { lastScheduleTime: toTime(0) }),
        cronJob({}, { lastScheduleTime: toTime(HOUR) }),
      ),
    ],
  ],
  [
    'cronjob/N8',
    [
      makes('cronjob', jobs, owned(minutes(2), 'report')),
      makes('cronjob', jobs, owned(minutes(1), 'report')),
    ],
    [
      makes('cronjob', jobs, owned(minutes(1), 'report')),
      makes('cronjob', jobs, owned(minutes(2), 'report')),
    ],
  ],
  [
    'cronjob/N9',
    [makes('user', cronJobs, cronJob({})), drops('cronjob', jobs, owned(minutes(1), 'report'))],
    [
      makes('user', cronJobs, cronJob({ successfulJobsHistoryLimit: 0 })),
      drops('cronjob', jobs, owned(minutes(1), 'report', finished)),
    ],
  ],
  [
    'cronjob/N11',
    [
      makes('user', jobs, owned(minutes(1), 'another')),
      turns(
        'cronjob',
        cronJobs,
        cronJob({}),
        cronJob({}, { active: [{ name: minutes(1), uid: minutes(1) }] }),
      ),
    ],
    [
      makes('user', jobs, owned(minutes(1), 'report')),
      turns(
        'cronjob',
        cronJobs,
        cronJob({}),
        cronJob({}, { active: [{ name: minutes(1), uid: minutes(1) }] }),
      ),
    ],
  ],
  [
    'cronjob/E1',
    [makes('user', cronJobs, cronJob({}, {}, { creationTimestamp: toTime(0) }))],
    [makes('user', cronJobs, cronJob({ suspend: true }, {}, { creationTimestamp: toTime(0) }))],
    HOUR,
  ],
  [
    'cronjob/E3',
    [
      makes('user', cronJobs, cronJob({ successfulJobsHistoryLimit: 0 })),
      makes('cronjob', jobs, owned(minutes(1), 'report', finished)),
    ],
    [
      makes('user', cronJobs, cronJob({ successfulJobsHistoryLimit: 1 })),
      makes('cronjob', jobs, owned(minutes(1), 'report', finished)),
    ],
  ],
  [
    'cronjob/E4',
    [makes('user', cronJobs, cronJob({}, { active: [{ name: minutes(1), uid: 'gone' }] }))],
    [
      makes('user', cronJobs, cronJob({}, { active: [{ name: minutes(1), uid: minutes(1) }] })),
      makes('cronjob', jobs, owned(minutes(1), 'report')),
    ],
  ],
  [
    'garbagecollector/N1',
    [
      makes('user', cronJobs, cronJob({}, {}, { uid: 'report' })),
      drops('garbagecollector', jobs, owned('j', 'report')),
    ],
    [drops('garbagecollector', jobs, owned('j', 'report'))],
  ],
  [
    'garbagecollector/N2',
    [drops('garbagecollector', jobs, named('j'))],
    [drops('garbagecollector', jobs, owned('j', 'report'))],
  ],
  [
    'garbagecollector/N5',
    [
      makes('user', jobs, owned('j', 'report')),
      drops('garbagecollector', cronJobs, cronJob({}, {}, { uid: 'report', finalizers: ['orphan'] })),
    ],
    [
      makes('user', jobs, owned('j', 'another')),
      drops('garbagecollector', cronJobs, cronJob({}, {}, { uid: 'report', finalizers: ['orphan'] })),
    ],
  ],
  [
    'garbagecollector/N6',
    [
      makes('user', jobs, owned('j', 'report')),
      drops(
        'garbagecollector',
        cronJobs,
        cronJob({}, {}, { uid: 'report', ...ending, finalizers: ['foregroundDeletion'] }),
      ),
    ],
    [
      drops(
        'garbagecollector',
        cronJobs,
        cronJob({}, {}, { uid: 'report', ...ending, finalizers: ['foregroundDeletion'] }),
      ),
    ],
  ],
  [
    'garbagecollector/N7',
    [turns('garbagecollector', jobs, named('j', {}, { finalizers: ['a/b'] }), named('j'))],
    [turns('garbagecollector', jobs, named('j', {}, { finalizers: ['orphan'] }), named('j'))],
  ],
  [
    'garbagecollector/N9',
    [
      makes('user', cronJobs, cronJob({}, {}, { uid: 'report' })),
      turns('garbagecollector', jobs, owned('j', 'report'), named('j')),
    ],
    [turns('garbagecollector', jobs, owned('j', 'report'), named('j'))],
  ],
  ['garbagecollector/E1', [makes('user', jobs, owned('j', 'report'))], [makes('user', jobs, named('j'))]],
  [
    'garbagecollector/E2',
    [makes('user', jobs, named('j', {}, { ...ending, finalizers: ['foregroundDeletion'] }))],
    [makes('user', jobs, named('j', {}, { ...ending, finalizers: ['a/b'] }))],
  ],
  [
    'garbagecollector/E3',
    [
      makes('user', cronJobs, cronJob({}, {}, { uid: 'report' })),
      makes(
        'user',
        jobs,
        named(
          'j',
          {},
          {
            ownerReferences: [
              { kind: 'CronJob', name: 'report', uid: 'report' },
              { kind: 'CronJob', name: 'gone', uid: 'gone' },
            ],
          },
        ),
      ),
    ],
    [makes('user', cronJobs, cronJob({}, {}, { uid: 'report' })), makes('user', jobs, owned('j', 'report'))],
  ],
  [
    'namespace/N1',
    [
      makes('user', configMaps, named('a')),
      turns('namespace', namespaces, namespace(ending), namespace(ending, 'Terminating', [])),
    ],
    [turns('namespace', namespaces, namespace(ending), namespace(ending, 'Terminating', []))],
  ],
  [
    'namespace/N3',
    [makes('user', namespaces, namespace()), drops('namespace', configMaps, named('a'))],
    [makes('user', namespaces, namespace(ending)), drops('namespace', configMaps, named('a'))],
  ],
  [
    'namespace/N4',
    [turns('namespace', configMaps, named('a', {}, { finalizers: ['a/b'] }), named('a'))],
    [
      turns(
        'namespace',
        configMaps,
        named('a', {}, { finalizers: ['a/b'] }),
        named('a', {}, { finalizers: ['a/b'], ...ending }),
      ),
    ],
  ],
  ['namespace/E1', [makes('user', namespaces, namespace(ending))], [makes('user', namespaces, namespace())]],
  [
    'namespace/N6',
    [makes('user', configMaps, named('a'))],
    [makes('user', namespaces, namespace()), makes('user', configMaps, named('a'))],
  ],
  [
    'ttlafterfinished/N1',
    [drops('ttlafterfinished', jobs, named('j'))],
    [
      drops(
        'ttlafterfinished',
        jobs,
        named('j', {
          spec: { ttlSecondsAfterFinished: 1 },
          status: { conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: toTime(0) }] },
        }),
        HOUR,
      ),
    ],
  ],
  [
    'ttlafterfinished/E1',
    [
      makes(
        'user',
        jobs,
        named('j', {
          spec: { ttlSecondsAfterFinished: 1 },
          status: { conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: toTime(0) }] },
        }),
      ),
    ],
    [makes('user', jobs, named('j'))],
    HOUR,
  ],
];

describe('invariants', () => {
  describe.each(histories)('%s', (id, breaks, keeps, restMs) => {
    it('is broken by a history that does what it forbids', () =>
      expect(judge(of(id), breaks, restMs)).toEqual({ broken: expect.any(String), reached: true }));
    it('holds in one that does not', () => expect(judge(of(id), keeps, restMs).broken).toBeUndefined());
  });

  it('each is put to the test here, save the life time of certificates, which the signing world has', () => {
    const tested = histories.map(([id]) => id);
    expect(all.map(({ id }) => id).filter((id) => !tested.includes(id))).toEqual(['csrsigning/N5']);
  });

  it('have identifiers of their own, and say what holds', () => {
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(all.every(({ says }) => says.length > 0)).toBe(true);
  });
});
