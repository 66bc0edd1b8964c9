import type { Action } from '../world/user.ts';
import { accountNamed, nameOfToken, tokenData, tokenSecretOf } from './accounts.ts';
import { MANY_MISSED, cronJobNamed, jobNamed, podTemplate } from './batch.ts';
import { decision, requestTo } from './certificates.ts';
import { ROLES, rule } from './cluster-roles.ts';
import type { Chosen } from './fields.ts';
import { lifeOf } from './life.ts';
import { quotaNamed } from './namespaces.ts';
import { HOUR, MINUTE, type Part, SECOND, TEAM, fraction } from './parts.ts';
import type { Step, Subject } from './subject.ts';
import { claimNamed, phaseOf, podUsing, volumeNamed } from './volumes.ts';

/**
 * Scripts of situations that are rare in random workloads. A live run happens only once, so each action here
 * has a fixed time.
 */

type Script = readonly Step[];

/**
 * Returns actions on three CronJobs. One has more than 100 missed runs and replaces its Job. One keeps no
 * finished Jobs and is suspended briefly. One has the policy Forbid.
 */
export const rareCronJobs: Part = (making) => {
  const cronJob = (name: string, bornMs: number, fields: Chosen, steps: Script = []) =>
    lifeOf(making, cronJobNamed(making, name), {
      bornMs,
      steps,
      fields: {
        'spec.schedule': '* * * * *',
        'spec.jobTemplate.spec.template': podTemplate(1),
        ...fields,
      },
    });
  const suspended = (isSuspended: boolean, part: number): Step => ({
    step: 'edit',
    atMs: fraction(making, part),
    fields: { 'spec.suspend': isSuspended },
  });
  return [
    // The Job is suspended, so that it exists until it is deleted.
    ...cronJob('missed', -MANY_MISSED * MINUTE, {
      'spec.concurrencyPolicy': 'Replace',
      'spec.jobTemplate.spec.suspend': true,
    }),
    ...cronJob('unkept', -2 * MINUTE, { 'spec.successfulJobsHistoryLimit': 0 }, [
      suspended(true, 0.3),
      suspended(false, 0.4),
    ]),
    ...cronJob('alone', -2 * MINUTE, { 'spec.concurrencyPolicy': 'Forbid' }),
  ];
};

/**
 * Returns actions on requests: an undecided and a denied one that expire within the run, one that is changed
 * after signing, and an approved one of a node.
 */
export const rareCertificateRequests: Part = (making) => {
  const { startMs } = making;
  const posted = (
    bornMs: number,
    name: string,
    steps: Script = [],
    signer: 'apiserverClient' | 'nodeClient' = 'apiserverClient',
  ) => lifeOf(making, requestTo(making, signer, name), { bornMs, steps });
  const overMs = fraction(making, 0.5);
  const earlyMs = fraction(making, 0.1);
  return [
    ...posted(overMs - 24 * HOUR, 'undecided'),
    ...posted(overMs - HOUR, 'denied'),
    decision(overMs - HOUR + SECOND, 'denied', ['Denied'], startMs),
    ...posted(earlyMs, 'of-node', [], 'nodeClient'),
    ...posted(earlyMs, 'touched', [
      { step: 'edit', atMs: fraction(making, 0.9), fields: { 'metadata.labels.seen': 'yes' } },
    ]),
    decision(fraction(making, 0.2), 'touched', ['Approved'], startMs),
  ];
};

/** Returns actions on roles that select each other and lose the source of their rules. */
export const rareRoleCycle: Part = (making) => {
  const bornMs = fraction(making, 0.1);
  const union = (name: string, selects: string, label: string): readonly Action[] => {
    const base = {
      metadata: { labels: { [label]: 'yes' } },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [selects]: 'yes' } }] },
      rules: [],
    };
    return lifeOf(making, { resource: ROLES, namespace: '', name, base }, { bornMs, steps: [] });
  };
  const base = { metadata: { labels: { c: 'yes' } }, rules: [rule('services')] };
  return [
    ...union('cycle-1', 'c', 'd'),
    ...union('cycle-2', 'd', 'c'),
    ...lifeOf(
      making,
      { resource: ROLES, namespace: '', name: 'cycle-source', base },
      {
        bornMs,
        steps: [{ step: 'edit', atMs: fraction(making, 0.7), fields: { 'metadata.labels.c': null } }],
      },
    ),
  ];
};

/**
 * Returns actions on an owner that orphans its dependent, and on a dependent that loses one of two owners.
 */
export const rareOrphan: Part = (making) => {
  const named = (name: string, owners: readonly string[], bornAt: number, steps: Script = []) => {
    const references = owners.map((owner) => ({ resource: '/configmaps', name: owner }));
    const subject: Subject = { resource: '/configmaps', namespace: TEAM, name, owners: references };
    return lifeOf(making, subject, { bornMs: fraction(making, bornAt), steps });
  };
  const deleted = (propagation: 'Orphan' | 'Background'): Script => [
    { step: 'delete', atMs: fraction(making, 0.6), propagation },
  ];
  return [
    ...named('leaver', [], 0.1, deleted('Orphan')),
    ...named('left', ['leaver'], 0.3),
    ...named('parent-1', [], 0.1, deleted('Background')),
    ...named('parent-2', [], 0.1),
    ...named('shared', ['parent-1', 'parent-2'], 0.3),
  ];
};

/**
 * Returns actions on bootstrap tokens: one that may not sign, one that is extended before it expires, and one
 * that expires.
 */
export const rareBootstrapTokens: Part = (making) => {
  const { vocabulary, startMs } = making;
  const token = (id: string, data: ReturnType<typeof tokenData>, steps: Script = []): readonly Action[] => {
    const subject: Subject = {
      resource: '/secrets',
      namespace: vocabulary.namespaces.system,
      name: nameOfToken(id),
      base: { type: vocabulary.secretTypes.bootstrapToken, data },
    };
    return lifeOf(making, subject, { bornMs: fraction(making, 0.1), steps });
  };
  const expiresMs = startMs + fraction(making, 0.9);
  const extended = tokenData('eeeeee', true, expiresMs + HOUR);
  return [
    ...token('dddddd', tokenData('dddddd', false)),
    ...token('eeeeee', tokenData('eeeeee', true, expiresMs), [
      { step: 'edit', atMs: fraction(making, 0.4), fields: { data: extended } },
    ]),
    ...token('ffffff', tokenData('ffffff', true, expiresMs)),
  ];
};

/** Returns actions on a ServiceAccount that is deleted after a token Secret was created for it. */
export const rareServiceAccounts: Part = (making) => [
  ...lifeOf(making, accountNamed(making, 'leaver'), {
    bornMs: fraction(making, 0.1),
    steps: [{ step: 'delete', atMs: fraction(making, 0.7) }],
  }),
  ...lifeOf(making, tokenSecretOf(making, 'leaver-token', 'leaver'), {
    bornMs: fraction(making, 0.3),
    steps: [],
  }),
];

/** Returns actions on a quota in a dedicated namespace. Its usage stops changing early in the run. */
export const rareQuotas: Part = (making) => {
  const namespace = 'counted';
  const early = (part: number) => ({ bornMs: fraction(making, part), steps: [] });
  return [
    ...lifeOf(making, { resource: '/namespaces', namespace: '', name: namespace }, early(0.05)),
    ...lifeOf(
      making,
      { ...quotaNamed('few'), namespace },
      { ...early(0.1), fields: { 'spec.hard': { 'count/configmaps': '5' } } },
    ),
    ...lifeOf(making, { resource: '/configmaps', namespace, name: 'one' }, early(0.15)),
  ];
};

/**
 * Returns actions on a claim and a volume that stay, and on a claim and a volume that are in use when they
 * are deleted.
 */
export const rareVolumes: Part = (making) => {
  const bornMs = fraction(making, 0.1);
  const deleted: Script = [{ step: 'delete', atMs: fraction(making, 0.4) }];
  return [
    ...lifeOf(making, claimNamed(making, 'kept'), { bornMs, steps: [] }),
    ...lifeOf(making, volumeNamed(making, 'kept'), { bornMs, steps: [] }),
    ...lifeOf(making, claimNamed(making, 'used'), { bornMs, steps: deleted }),
    ...lifeOf(making, volumeNamed(making, 'used'), { bornMs, steps: deleted }),
    // The pod is scheduled to a node, so that the claim is released only when the pod ends.
    ...lifeOf(making, podUsing('holder', 'used', 4, 'n1'), {
      bornMs: fraction(making, 0.2),
      steps: [{ step: 'delete', atMs: fraction(making, 0.7) }],
    }),
    phaseOf(fraction(making, 0.2), 'used', 'Bound'),
    phaseOf(fraction(making, 0.7), 'used', 'Released'),
  ];
};

/** Returns actions on a Job of two pods that is deleted shortly after its end. */
export const rareFinishedJobs: Part = (making) =>
  lifeOf(making, jobNamed(making, 'brief'), {
    bornMs: fraction(making, 0.2),
    steps: [],
    fields: {
      'spec.completions': 2,
      'spec.parallelism': 1,
      'spec.template': podTemplate(1),
      'spec.ttlSecondsAfterFinished': 1,
    },
  });
