import type { AnyStateMachine } from 'xstate';
import { bootstrapSignerMachine } from './bootstrapsigner/bootstrap-signer.ts';
import { clusterRoleAggregationMachine } from './clusterrole-aggregation/clusterrole-aggregation.ts';
import { cronJobMachine } from './cronjob/cron-job.ts';
import type { ObservedCronJob, ObservedJob } from './cronjob/plan.ts';
import { csrApprovingMachine } from './csrapproving/csr-approving.ts';
import { csrCleanerMachine } from './csrcleaner/csr-cleaner.ts';
import { csrSigningMachine } from './csrsigning/csr-signing.ts';
import type { ObservedObject } from './garbagecollector/decide.ts';
import { garbageCollectorMachine } from './garbagecollector/garbage-collector.ts';
import { legacyTokenCleanerMachine } from './legacy-service-account-token-cleaner/legacy-token-cleaner.ts';
import { namespaceMachine } from './namespace/namespace.ts';
import { jobMachine } from './job/job.ts';
import type { ObservedJob as ObservedJobObject, ObservedPod } from './job/observed.ts';
import { pvProtectionMachine, pvcProtectionMachine } from './protection/protection.ts';
import { resourceQuotaMachine } from './resourcequota/resource-quota.ts';
import { rootCaCertPublisherMachine } from './root-ca-cert-publisher/root-ca-cert-publisher.ts';
import { serviceAccountTokenMachine } from './serviceaccount-token/service-account-token.ts';
import { serviceAccountMachine } from './serviceaccount/service-account.ts';
import { tokenCleanerMachine } from './tokencleaner/token-cleaner.ts';
import { ttlAfterFinishedMachine } from './ttlafterfinished/ttl-after-finished.ts';

/** Machine with results of its effects that suffice to reach every state. A result may be `undefined`. */
export interface Specimen {
  readonly machine: AnyStateMachine;
  readonly answers: { readonly [actor: string]: readonly unknown[] };
}

const at = { uid: 'u', resourceVersion: '7' };
const MINUTE = 60_000;
const nowMs = Date.UTC(2026, 0, 1, 12, 0, 30);

const job = (name: string, finished: ObservedJob['finished'] = ''): ObservedJob => ({
  name,
  uid: `uid-${name}`,
  resourceVersion: '3',
  finished,
  deleting: false,
  startMs: nowMs - 5 * MINUTE,
  completionMs: finished === '' ? undefined : nowMs - 4 * MINUTE,
});
const cronJob = (changes: Partial<ObservedCronJob>): ObservedCronJob => ({
  ...at,
  nowMs,
  name: 'tick',
  deleting: false,
  createdMs: nowMs - 10 * MINUTE,
  schedule: '* * * * *',
  timeZone: undefined,
  scheduledSinceMs: undefined,
  suspend: false,
  concurrencyPolicy: 'Allow',
  startingDeadlineSeconds: undefined,
  successfulLimit: 3,
  failedLimit: 1,
  active: [],
  lastScheduleMs: undefined,
  lastSuccessfulMs: undefined,
  jobs: [],
  missing: [],
  ...changes,
});
const collected = (changes: Partial<ObservedObject>): ObservedObject => ({
  ...at,
  deleting: false,
  orphaning: false,
  foreground: false,
  solid: 0,
  unseen: false,
  behindMs: 0,
  dangling: [],
  waiting: [],
  blocksOwner: false,
  dependentsWait: false,
  hasDependents: false,
  blocking: [],
  blockedByWaiting: false,
  blocksItself: false,
  ...changes,
});
const worked = (changes: Partial<ObservedJobObject>): ObservedJobObject => ({
  ...at,
  nowMs,
  deleting: false,
  finished: false,
  tracked: true,
  keepsUncounted: true,
  parallelism: 1,
  completions: 2,
  indexed: false,
  backoffLimit: 0,
  activeDeadlineMs: undefined,
  suspend: false,
  restartsInPlace: false,
  startMs: nowMs,
  suspended: undefined,
  counts: {
    active: 0,
    ready: 0,
    succeeded: 0,
    failed: 0,
    completedIndexes: '',
    uncounted: { succeeded: [], failed: [] },
  },
  pods: [],
  adoptable: [],
  strayed: [],
  ...changes,
});
const pod = (changes: Partial<ObservedPod>): ObservedPod => ({
  ...at,
  name: 'p',
  phase: 'Running',
  scheduled: true,
  ready: true,
  readySinceMs: nowMs,
  restarts: 0,
  createdMs: nowMs,
  endedMs: nowMs,
  deleting: false,
  tracked: true,
  index: undefined,
  ...changes,
});
const podRef = { tracked: false, name: 'p', ...at };
const emptySweep = { endsForMs: 0, undiscovered: [], failures: [], remaining: {}, finalizers: {} };
const candidates = [
  { subresource: 'selfnodeclient', message: 'a' },
  { subresource: 'nodeclient', message: 'b' },
];
const done = [undefined];

/** One specimen for each controller. */
export const specimens: readonly Specimen[] = [
  {
    machine: bootstrapSignerMachine,
    answers: {
      observe: [
        null,
        { wanted: { data: { a: 'b' } }, expiresInMs: 5 },
        { wanted: null, expiresInMs: undefined },
      ],
      confirm: [
        null,
        { wanted: { data: { a: 'b' } }, expiresInMs: 5 },
        { wanted: null, expiresInMs: undefined },
      ],
      sign: done,
    },
  },
  {
    machine: clusterRoleAggregationMachine,
    answers: { observe: [null, { ...at, rules: [{ verbs: ['get'] }] }], update: done },
  },
  {
    machine: cronJobMachine,
    answers: {
      observe: [
        null,
        cronJob({}),
        cronJob({ suspend: true }),
        cronJob({ deleting: true, jobs: [job('old', 'Complete')], successfulLimit: 0 }),
        cronJob({ jobs: [job('old', 'Complete')], successfulLimit: 0, suspend: true }),
        cronJob({ schedule: 'never', suspend: false }),
        cronJob({
          concurrencyPolicy: 'Replace',
          jobs: [job('running')],
          active: [{ name: 'running', uid: 'uid-running' }],
        }),
      ],
      deleteJobs: done,
      recordStatus: done,
      createJob: done,
      announce: done,
    },
  },
  {
    machine: csrApprovingMachine,
    answers: {
      observe: [null, { ...at, candidates: [] }, { ...at, candidates }],
      review: [true, false],
      approve: done,
    },
  },
  {
    machine: csrSigningMachine,
    answers: {
      observe: [null, { ...at, fault: '' }, { ...at, fault: 'no' }],
      sign: [
        { certificate: 'PEM', fault: '' },
        { certificate: 'PEM', fault: 'no' },
      ],
      issue: done,
      refuse: done,
    },
  },
  {
    machine: garbageCollectorMachine,
    answers: {
      observe: [
        null,
        collected({ solid: 1 }),
        collected({ solid: 1, unseen: true }),
        collected({ solid: 1, dangling: ['x'] }),
        collected({ dangling: ['x'] }),
        collected({ waiting: ['x'], hasDependents: true, dependentsWait: true, blocksOwner: true }),
        collected({ deleting: true, orphaning: true }),
        collected({ deleting: true, foreground: true }),
        collected({ deleting: true, foreground: true, blocking: ['k'] }),
        collected({ deleting: true, foreground: true, blockedByWaiting: true, blocksItself: true }),
      ],
      deleteObject: done,
      release: done,
      breakCircle: done,
      orphanDependents: done,
      removeFinalizer: done,
      wake: done,
    },
  },
  {
    machine: jobMachine,
    answers: {
      observe: [
        { state: 'behind' },
        { state: 'gone', orphans: [podRef] },
        { state: 'job', orphans: [], job: worked({}) },
        { state: 'job', orphans: [], job: worked({ activeDeadlineMs: MINUTE }) },
        { state: 'job', orphans: [], job: worked({ adoptable: [podRef], strayed: [podRef] }) },
        { state: 'job', orphans: [], job: worked({ pods: [pod({ phase: 'Succeeded' })] }) },
        { state: 'job', orphans: [], job: worked({ pods: [pod({ phase: 'Failed' })] }) },
        { state: 'job', orphans: [], job: worked({ suspend: true, pods: [pod({})] }) },
      ],
      adopt: ['done', 'changed'],
      release: ['done', 'changed'],
      recordStatus: ['done', 'changed'],
      announce: ['done'],
      untrack: ['done', 'changed'],
      removePods: ['done', 'changed'],
      createPods: ['done', 'changed'],
    },
  },
  {
    machine: legacyTokenCleanerMachine,
    answers: {
      observe: [
        { token: null, verdict: { verdict: 'keep' } },
        { token: at, verdict: { verdict: 'wait', afterMs: 5 } },
        { token: at, verdict: { verdict: 'mark' } },
      ],
      confirm: [
        { token: null, verdict: { verdict: 'keep' } },
        { token: at, verdict: { verdict: 'wait', afterMs: 5 } },
        { token: at, verdict: { verdict: 'mark' } },
        { token: at, verdict: { verdict: 'delete' } },
      ],
      mark: ['done', 'changed'],
      deleteSecret: ['done', 'changed'],
    },
  },
  {
    machine: namespaceMachine,
    answers: {
      observe: [null, { uid: 'u' }],
      sweep: [emptySweep, { ...emptySweep, remaining: { 'pods.': 1 } }],
      report: done,
      finalize: done,
    },
  },
  ...[pvProtectionMachine, pvcProtectionMachine].map((machine) => ({
    machine,
    answers: {
      observe: [
        null,
        { ...at, deleting: false, isProtected: true, inUse: false },
        { ...at, deleting: false, isProtected: false, inUse: false },
        { ...at, deleting: true, isProtected: true, inUse: true },
        { ...at, deleting: true, isProtected: true, inUse: false },
      ],
      isUsed: [true, false],
      protect: done,
    },
  })),
  {
    machine: resourceQuotaMachine,
    answers: {
      observe: [
        null,
        { ...at, wanted: { pods: '2' }, hard: {}, used: {} },
        { ...at, wanted: { pods: '2' }, hard: { pods: '2' }, used: { pods: '2' } },
      ],
      count: [
        { used: { pods: '2' }, recent: {}, settlesInMs: undefined },
        { used: { pods: '1' }, recent: { pods: '1' }, settlesInMs: 5 },
      ],
      write: done,
    },
  },
  {
    machine: rootCaCertPublisherMachine,
    answers: {
      observe: [null, { state: 'missing' }, { state: 'different', ...at }, { state: 'current' }],
      create: done,
      update: done,
    },
  },
  {
    machine: serviceAccountMachine,
    answers: { observe: [null, { missing: [] }, { missing: ['default', 'other'] }], create: done },
  },
  {
    machine: serviceAccountTokenMachine,
    answers: {
      observe: [
        { state: 'current' },
        { state: 'unfilled', ...at, account: { name: 'a', uid: 'b' } },
        { state: 'orphaned', ...at },
        { state: 'duplicate', ...at, account: { name: 'a', uid: 'b' } },
        { state: 'dangling', accounts: [{ name: 'a', uid: 'b' }] },
        { state: 'wanted', account: { name: 'a', uid: 'b' } },
      ],
      generate: [{ secret: 'a/b-token-x', deleted: ['b-token-y'] }, null],
      reference: done,
      fill: done,
      deleteSecret: done,
      removeDuplicate: done,
      unreference: done,
    },
  },
  ...[csrCleanerMachine, tokenCleanerMachine, ttlAfterFinishedMachine].map((machine) => ({
    machine,
    answers: {
      observe: [null, { ...at, leftMs: null }, { ...at, leftMs: 5 }, { ...at, leftMs: 0 }],
      confirm: [null, { ...at, leftMs: null }, { ...at, leftMs: 5 }, { ...at, leftMs: 0 }],
      deleteObject: ['deleted', 'changed'],
    },
  })),
];
