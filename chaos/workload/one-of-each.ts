import type { Action } from '../world/user.ts';
import { nameOfToken, tokenData, tokenSecret } from './accounts.ts';
import { CSRS, decision, requestFor } from './certificates.ts';
import { ROLES, rule } from './cluster-roles.ts';
import { MANY_MISSED, podTemplate } from './cron-jobs.ts';
import { HOUR, MINUTE, type Making, type Part, SECOND, TEAM, create, patch, remove } from './parts.ts';

/*
 * What few of many runs have, and the one run that there is would have to be lucky for: each thing at a time of its own,
 * and nothing by chance.
 */

/** A part of the time in which users act. */
const at = ({ untilMs }: Making, part: number): number => untilMs * part;

/** Hundred due times and more were missed, and a Job that goes on is replaced; one of which none is kept, held up for a moment; one at a time. */
const cronJobs: Part = (making) => {
  const cronJob = (name: string, bornMs: number, spec: object, job: object): Action =>
    create(bornMs, 'batch/cronjobs', TEAM, name, {
      spec: { schedule: '* * * * *', ...spec, jobTemplate: { spec: { ...job, backoffLimit: 0 } } },
    });
  const template = podTemplate(1, false);
  const held = (suspend: boolean, part: number): Action =>
    patch(at(making, part), 'batch/cronjobs', TEAM, 'unkept', { spec: { suspend } });
  return [
    // Its Job is suspended: it goes on for as long as nobody deletes it.
    cronJob('missed', -MANY_MISSED * MINUTE, { concurrencyPolicy: 'Replace' }, { suspend: true, template }),
    cronJob('unkept', -2 * MINUTE, { successfulJobsHistoryLimit: 0 }, { template }),
    cronJob('alone', -2 * MINUTE, { concurrencyPolicy: 'Forbid' }, { template }),
    held(true, 0.3),
    held(false, 0.4),
  ];
};

/**
 * One that nobody decides on and one that is denied, whose times are over within the run; one that is touched when it is
 * signed; and one of a node, which is approved.
 */
const certificateRequests: Part = (making) => {
  const { vocabulary, startMs } = making;
  const { apiserverClient, nodeClient } = vocabulary.signers;
  const posted = (bornMs: number, name: string, signerName: string = apiserverClient): Action =>
    create(bornMs, CSRS, '', name, {
      spec: {
        request:
          signerName === nodeClient ? requestFor('system:node:n1', ['system:nodes']) : requestFor('jane', []),
        signerName,
        usages: ['digital signature', 'key encipherment', 'client auth'],
      },
    });
  const overMs = at(making, 0.5);
  return [
    posted(overMs - 24 * HOUR, 'undecided'),
    posted(overMs - HOUR, 'denied'),
    decision(overMs - HOUR + SECOND, 'denied', 'Denied', startMs),
    posted(at(making, 0.1), 'of-node', nodeClient),
    posted(at(making, 0.1), 'touched'),
    decision(at(making, 0.2), 'touched', 'Approved', startMs),
    patch(at(making, 0.9), CSRS, '', 'touched', { metadata: { labels: { seen: 'yes' } } }),
  ];
};

/** Roles that select each other, and what holds them up revoked. */
const circle: Part = (making) => {
  const union = (name: string, selects: string, label: string): Action =>
    create(at(making, 0.1), ROLES, '', name, {
      metadata: { labels: { [label]: 'yes' } },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [selects]: 'yes' } }] },
      rules: [],
    });
  return [
    union('circle-1', 'c', 'd'),
    union('circle-2', 'd', 'c'),
    create(at(making, 0.1), ROLES, '', 'circle-source', {
      metadata: { labels: { c: 'yes' } },
      rules: [rule('services')],
    }),
    patch(at(making, 0.7), ROLES, '', 'circle-source', { metadata: { labels: { c: null } } }),
  ];
};

/** An owner that leaves its dependent behind. */
const orphan: Part = (making) => [
  create(at(making, 0.1), '/configmaps', TEAM, 'leaver'),
  {
    ...create(at(making, 0.3), '/configmaps', TEAM, 'left'),
    owners: [{ resource: '/configmaps', name: 'leaver' }],
  },
  remove(at(making, 0.6), '/configmaps', TEAM, 'leaver', 'Orphan'),
];

/** One that may not sign, one that is given more time before it expires, and one that is not. */
const bootstrapTokens: Part = (making) => {
  const { vocabulary, startMs } = making;
  const token = (id: string, data: object): Action =>
    create(at(making, 0.1), '/secrets', vocabulary.namespaces.system, nameOfToken(id), {
      type: vocabulary.secretTypes.bootstrapToken,
      data,
    });
  const expiresMs = startMs + at(making, 0.9);
  const extended = tokenData('eeeeee', true, expiresMs + HOUR);
  return [
    token('dddddd', tokenData('dddddd', false)),
    token('eeeeee', tokenData('eeeeee', true, expiresMs)),
    token('ffffff', tokenData('ffffff', true, expiresMs)),
    patch(at(making, 0.4), '/secrets', vocabulary.namespaces.system, nameOfToken('eeeeee'), {
      data: extended,
    }),
  ];
};

/** An account that goes, and what was made for it. */
const serviceAccounts: Part = (making) => [
  create(at(making, 0.1), '/serviceaccounts', TEAM, 'leaver'),
  tokenSecret(making, 'leaver-token', 'leaver', at(making, 0.3)),
  remove(at(making, 0.7), '/serviceaccounts', TEAM, 'leaver'),
];

/** A quota in a namespace that is left alone then: elsewhere something is counted until the end. */
const quotas: Part = (making) => [
  create(at(making, 0.05), '/namespaces', '', 'counted'),
  create(at(making, 0.1), '/resourcequotas', 'counted', 'few', {
    spec: { hard: { 'count/configmaps': '5' } },
  }),
  create(at(making, 0.15), '/configmaps', 'counted', 'one'),
];

/** A claim and a volume that stay, and two that are used for a while when they are deleted. */
const volumes: Part = (making) => {
  const claim = (name: string): Action =>
    create(at(making, 0.1), '/persistentvolumeclaims', TEAM, name, {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
  const volume = (name: string): Action =>
    create(at(making, 0.1), '/persistentvolumes', '', name, {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        hostPath: { path: `/tmp/${name}` },
      },
    });
  const phase = (part: number, name: 'Bound' | 'Released'): Action => ({
    ...patch(at(making, part), '/persistentvolumes', '', 'used', { status: { phase: name } }),
    subresource: 'status',
  });
  return [
    claim('kept'),
    volume('kept'),
    claim('used'),
    volume('used'),
    // On a node: it goes at once only when it has ended.
    create(at(making, 0.2), '/pods', TEAM, 'holder', {
      metadata: { annotations: { 'chaos/runs': String(4 * SECOND) } },
      spec: {
        nodeName: 'n1',
        restartPolicy: 'Never',
        containers: [{ name: 'c', image: 'i' }],
        volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'used' } }],
      },
    }),
    phase(0.2, 'Bound'),
    remove(at(making, 0.4), '/persistentvolumeclaims', TEAM, 'used'),
    remove(at(making, 0.4), '/persistentvolumes', '', 'used'),
    remove(at(making, 0.7), '/pods', TEAM, 'holder'),
    phase(0.7, 'Released'),
  ];
};

/** A Job of two pods, which goes a moment after it has ended. */
const finishedJobs: Part = (making) => [
  create(at(making, 0.2), 'batch/jobs', TEAM, 'brief', {
    spec: {
      completions: 2,
      parallelism: 1,
      template: podTemplate(1, false),
      ttlSecondsAfterFinished: 1,
    },
  }),
];

/** By controller, as what there is to do for each is. */
export const oneOfEach: Readonly<Record<string, readonly Part[]>> = {
  bootstrapsigner: [bootstrapTokens],
  'clusterrole-aggregation': [circle],
  cronjob: [cronJobs],
  csrapproving: [certificateRequests],
  csrcleaner: [certificateRequests],
  csrsigning: [certificateRequests],
  garbagecollector: [orphan],
  job: [finishedJobs],
  'pv-protection': [volumes],
  'pvc-protection': [volumes],
  resourcequota: [quotas],
  'serviceaccount-token': [serviceAccounts],
  tokencleaner: [bootstrapTokens],
  ttlafterfinished: [finishedJobs],
};
