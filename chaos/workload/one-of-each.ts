import type { Action } from '../world/user.ts';
import { nameOfToken, tokenData, tokenSecret } from './accounts.ts';
import { CSRS, decision, requestFor } from './certificates.ts';
import { ROLES, rule } from './cluster-roles.ts';
import { MANY_MISSED, podTemplate } from './cron-jobs.ts';
import { HOUR, MINUTE, type Making, type Part, SECOND, TEAM, create, patch, remove } from './parts.ts';

/*
 * Actions that random workloads contain rarely. A live run happens only once, so they are listed here, each
 * at a fixed time.
 */

/** Returns a fraction of the time in which users act. */
const at = ({ untilMs }: Making, part: number): number => untilMs * part;

/**
 * CronJobs: one with more than 100 missed runs that replaces its Job; one that keeps no Jobs and is suspended
 * briefly; one under Forbid.
 */
export const rareCronJobs: Part = (making) => {
  const cronJob = (name: string, bornMs: number, spec: object, job: object): Action =>
    create(bornMs, 'batch/cronjobs', TEAM, name, {
      spec: { schedule: '* * * * *', ...spec, jobTemplate: { spec: { ...job, backoffLimit: 0 } } },
    });
  const template = podTemplate(1, false);
  const held = (suspend: boolean, part: number): Action =>
    patch(at(making, part), 'batch/cronjobs', TEAM, 'unkept', { spec: { suspend } });
  return [
    // The Job is suspended, so that it exists until it is deleted.
    cronJob('missed', -MANY_MISSED * MINUTE, { concurrencyPolicy: 'Replace' }, { suspend: true, template }),
    cronJob('unkept', -2 * MINUTE, { successfulJobsHistoryLimit: 0 }, { template }),
    cronJob('alone', -2 * MINUTE, { concurrencyPolicy: 'Forbid' }, { template }),
    held(true, 0.3),
    held(false, 0.4),
  ];
};

/**
 * Requests: an undecided and a denied one that expire within the run, one that is changed after signing, and
 * an approved one of a node.
 */
export const rareCertificateRequests: Part = (making) => {
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

/** Roles that select each other, whose source is revoked. */
export const rareRoleCycle: Part = (making) => {
  const union = (name: string, selects: string, label: string): Action =>
    create(at(making, 0.1), ROLES, '', name, {
      metadata: { labels: { [label]: 'yes' } },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [selects]: 'yes' } }] },
      rules: [],
    });
  return [
    union('cycle-1', 'c', 'd'),
    union('cycle-2', 'd', 'c'),
    create(at(making, 0.1), ROLES, '', 'cycle-source', {
      metadata: { labels: { c: 'yes' } },
      rules: [rule('services')],
    }),
    patch(at(making, 0.7), ROLES, '', 'cycle-source', { metadata: { labels: { c: null } } }),
  ];
};

/** An owner that orphans its dependent. */
export const rareOrphan: Part = (making) => [
  create(at(making, 0.1), '/configmaps', TEAM, 'leaver'),
  {
    ...create(at(making, 0.3), '/configmaps', TEAM, 'left'),
    owners: [{ resource: '/configmaps', name: 'leaver' }],
  },
  remove(at(making, 0.6), '/configmaps', TEAM, 'leaver', 'Orphan'),
];

/** Tokens: one that may not sign, one that is extended before it expires, and one that expires. */
export const rareBootstrapTokens: Part = (making) => {
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

/** An account that is deleted after a token Secret was created for it. */
export const rareServiceAccounts: Part = (making) => [
  create(at(making, 0.1), '/serviceaccounts', TEAM, 'leaver'),
  tokenSecret(making, 'leaver-token', 'leaver', at(making, 0.3)),
  remove(at(making, 0.7), '/serviceaccounts', TEAM, 'leaver'),
];

/** A quota in a dedicated namespace; its usage stops changing early in the run. */
export const rareQuotas: Part = (making) => [
  create(at(making, 0.05), '/namespaces', '', 'counted'),
  create(at(making, 0.1), '/resourcequotas', 'counted', 'few', {
    spec: { hard: { 'count/configmaps': '5' } },
  }),
  create(at(making, 0.15), '/configmaps', 'counted', 'one'),
];

/** A claim and a volume that stay, and two that are in use when they are deleted. */
export const rareVolumes: Part = (making) => {
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
    // Scheduled to a node, so that the claim is released only when the pod ends.
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

/** A Job of two pods that is deleted shortly after its end. */
export const rareFinishedJobs: Part = (making) => [
  create(at(making, 0.2), 'batch/jobs', TEAM, 'brief', {
    spec: {
      completions: 2,
      parallelism: 1,
      template: podTemplate(1, false),
      ttlSecondsAfterFinished: 1,
    },
  }),
];
