import { validatingWebhookConfigurations } from '../../api/groups/admissionregistration-v1.ts';
import { apiServices } from '../../api/groups/apiregistration-v1.ts';
import { cronJobs, jobs } from '../../api/groups/batch-v1.ts';
import { resourceQuotas } from '../../api/groups/core-v1-storage.ts';
import { configMaps, namespaces, secrets } from '../../api/groups/core-v1.ts';
import { clusterRoles } from '../../api/groups/rbac-v1.ts';
import { toTime } from '../../base/clock/clock.ts';
import { certificateRequests } from '../world/certificate-requests.ts';
import { requestPem } from '../world/request-pem.ts';
import type { World } from '../world/world.ts';
import { DENYING } from './attended-world.ts';

export const MINUTE = 60_000;
const HOLD = 'example.com/hold';

/** One stuck situation, and what the list says of it. */
export interface Situation {
  readonly title: string;
  /** Makes the situation, with a healthy object of the same kind next to it. */
  make(world: World): Promise<void>;
  /** Virtual time after which the list has the entry, in milliseconds. Default two minutes. */
  readonly waitMs?: number;
  readonly reason: string;
  /** Kind and path of the object that needs attention. */
  readonly object: string;
  readonly sentence: RegExp;
  /** Kind and path of the blocking object. */
  readonly blocker?: string;
  /** Other entries that are true of the same situation, such as that of the blocking object. */
  readonly also?: readonly string[];
}

const podSpec = { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' as const };
const cronJob = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: { template: { spec: podSpec } } }, ...spec },
});
const job = (name: string) => ({ metadata: { name }, spec: { template: { spec: podSpec } } });
const cronOf = ({ client }: World) => client.namespaced(cronJobs, 'team');
const mapsOf = ({ client }: World, namespace = 'team') => client.namespaced(configMaps, namespace);

/** Creates a certificate request that is signed, next to the one of the situation. */
async function requestOf(world: World, signerName = world.vocabulary.signers.apiserverClient) {
  const requests = certificateRequests(world);
  await requests.post('healthy', requestPem('/CN=healthy'), {
    signerName: world.vocabulary.signers.apiserverClient,
  });
  await requests.decide('healthy', 'Approved');
  await requests.post('web', requestPem('/CN=web'), { signerName });
  return requests;
}

async function heldMap(world: World, namespace = 'team'): Promise<void> {
  await mapsOf(world, namespace).create({ metadata: { name: 'held', finalizers: [HOLD] } });
}

/** Denies or does not answer the creation of pods. */
async function webhook({ client }: World, url: string): Promise<void> {
  await client.cluster(validatingWebhookConfigurations).create({
    metadata: { name: 'guard' },
    webhooks: [
      {
        name: 'pods.example.com',
        clientConfig: { url },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        failurePolicy: 'Fail',
      },
    ],
  });
}

const namespaceSituation: Situation = {
  title: 'a namespace behind a finalizer',
  async make(world) {
    await world.client.cluster(namespaces).create({ metadata: { name: 'shop' } });
    await heldMap(world, 'shop');
    await world.client.cluster(namespaces).delete('shop');
  },
  reason: 'namespace-remains',
  object: 'Namespace shop',
  sentence:
    /^Namespace shop cannot be deleted before ConfigMap shop\/held, which its finalizer example\.com\/hold keeps\.$/,
  blocker: 'ConfigMap shop/held',
  also: ['deletion-blocked'],
};

const requestSituations: readonly Situation[] = [
  {
    title: 'a certificate request without an approver',
    make: async (world) => void (await requestOf(world)),
    waitMs: 6 * MINUTE,
    reason: 'no-approver',
    object: 'CertificateSigningRequest web',
    sentence: /^CertificateSigningRequest web waits for an approver: nobody has approved or denied it\.$/,
  },
  {
    title: 'a denied certificate request',
    make: async (world) => void (await (await requestOf(world)).decide('web', 'Denied')),
    reason: 'request-denied',
    object: 'CertificateSigningRequest web',
    sentence: /^CertificateSigningRequest web was denied and gets no certificate: ByTest, m\.$/,
  },
  {
    title: 'a failed certificate request',
    async make(world) {
      const { requests, get, decide } = await requestOf(world, 'example.com/own');
      await decide('web', 'Approved');
      const request = await get('web');
      const failed = { type: 'Failed', status: 'True', reason: 'Refused', message: 'bad key' } as const;
      const conditions = [...(request.status?.conditions ?? []), failed];
      await requests.subresource('status').update({ ...request, status: { ...request.status, conditions } });
    },
    reason: 'request-failed',
    object: 'CertificateSigningRequest web',
    sentence:
      /^CertificateSigningRequest web was refused by the signer example\.com\/own: Refused, bad key\.$/,
  },
  {
    title: 'an approved certificate request of a foreign signer',
    make: async (world) => void (await (await requestOf(world, 'example.com/own')).decide('web', 'Approved')),
    reason: 'no-signer',
    object: 'CertificateSigningRequest web',
    sentence:
      /^CertificateSigningRequest web is approved, but no controller of this program signs for example\.com\/own/,
  },
];

const scheduleSituations: readonly Situation[] = [
  {
    title: 'a suspended CronJob',
    make: async (world) => void (await cronOf(world).create(cronJob('report', { suspend: true }))),
    reason: 'suspended',
    object: 'CronJob team/report',
    sentence: /^CronJob team\/report is suspended and skips its runs until spec\.suspend is false\.$/,
  },
  {
    title: 'a CronJob that is never due',
    make: async (world) => void (await cronOf(world).create(cronJob('report', { schedule: '0 0 31 2 *' }))),
    reason: 'schedule-never-fires',
    object: 'CronJob team/report',
    sentence:
      /^CronJob team\/report never runs: its schedule "0 0 31 2 \*" has no due time in the next five years\.$/,
  },
  {
    title: 'a CronJob that was changed to a schedule that is never due',
    async make(world) {
      await cronOf(world).create(cronJob('report', { schedule: '*/5 * * * *' }));
      await world.clock.advance(MINUTE);
      await cronOf(world).patch('report', 'merge', { spec: { schedule: '0 0 30 2 *' } });
    },
    reason: 'schedule-never-fires',
    object: 'CronJob team/report',
    sentence: /^CronJob team\/report never runs: its schedule "0 0 30 2 \*" has no due time/,
  },
  {
    title: 'a CronJob that forbids concurrent runs and has an unfinished Job',
    make: async (world) =>
      void (await cronOf(world).create(
        cronJob('report', { schedule: '*/5 * * * *', concurrencyPolicy: 'Forbid' }),
      )),
    waitMs: 12 * MINUTE,
    reason: 'job-unfinished',
    object: 'CronJob team/report',
    sentence:
      /^CronJob team\/report skips its runs, the last one due at 2026-01-01T00:10:00Z, until Job team\/report-\d+ finishes, because its concurrencyPolicy is Forbid\.$/,
    blocker: 'Job team/report-',
  },
  {
    title: 'a CronJob that is due every minute and has an unfinished Job, at any second of a minute',
    make: async (world) =>
      void (await cronOf(world).create(
        cronJob('digest', { schedule: '* * * * *', concurrencyPolicy: 'Forbid' }),
      )),
    waitMs: 12 * MINUTE + 2_000,
    reason: 'job-unfinished',
    object: 'CronJob team/digest',
    sentence:
      /^CronJob team\/digest skips its runs, the last one due at 2026-01-01T00:12:00Z, until Job team\/digest-\d+ finishes/,
    blocker: 'Job team/digest-',
  },
  {
    title: 'a CronJob that missed its starting deadline',
    async make(world) {
      await webhook(world, 'https://nobody.test/');
      // The webhook keeps the controller from creating Jobs, so the run is late.
      await world.client.cluster(validatingWebhookConfigurations).patch('guard', 'json', [
        { op: 'replace', path: '/webhooks/0/rules/0/apiGroups', value: ['batch'] },
        { op: 'replace', path: '/webhooks/0/rules/0/resources', value: ['cronjobs/status'] },
        { op: 'replace', path: '/webhooks/0/rules/0/operations', value: ['UPDATE'] },
      ]);
      await cronOf(world).create(cronJob('report', { schedule: '5 0 * * *', startingDeadlineSeconds: 20 }));
    },
    waitMs: 7 * MINUTE,
    reason: 'run-missed',
    object: 'CronJob team/report',
    sentence:
      /^CronJob team\/report missed its run of 2026-01-01T00:05:00Z: it did not start within its startingDeadlineSeconds of 20 s\.$/,
  },
];

const workSituations: readonly Situation[] = [
  {
    title: 'a Job against a quota',
    async make({ client, clock }) {
      await client
        .namespaced(resourceQuotas, 'team')
        .create({ metadata: { name: 'none' }, spec: { hard: { pods: '0' } } });
      await clock.advance(2_000);
      await client.namespaced(jobs, 'team').create(job('work'));
    },
    reason: 'quota-exceeded',
    object: 'Job team/work',
    sentence:
      /^Job team\/work cannot create what it needs: ResourceQuota team\/none allows pods=0, of which pods=0 is used and pods=1 more is requested\.$/,
    blocker: 'ResourceQuota team/none',
  },
  {
    title: 'an owner in foreground deletion',
    async make(world) {
      const owner = await mapsOf(world).create({ metadata: { name: 'owner' } });
      const { uid = '' } = owner.metadata ?? {};
      await mapsOf(world).create({
        metadata: {
          name: 'dependent',
          finalizers: [HOLD],
          ownerReferences: [
            { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, blockOwnerDeletion: true },
          ],
        },
      });
      await world.clock.advance(1_000);
      await mapsOf(world).delete('owner', { propagationPolicy: 'Foreground' });
    },
    reason: 'dependents-remain',
    object: 'ConfigMap team/owner',
    sentence:
      /^ConfigMap team\/owner cannot be deleted before its dependent ConfigMap team\/dependent, which its finalizer example\.com\/hold keeps\.$/,
    blocker: 'ConfigMap team/dependent',
    also: ['deletion-blocked'],
  },
  {
    title: 'a token Secret of a missing ServiceAccount',
    async make({ client, vocabulary }) {
      await client.namespaced(secrets, 'team').create({
        metadata: { name: 'token', annotations: { [vocabulary.serviceAccountName]: 'ghost' } },
        type: vocabulary.secretTypes.serviceAccountToken,
      });
    },
    reason: 'no-account',
    object: 'Secret team/token',
    sentence:
      /^Secret team\/token was deleted, because the ServiceAccount team\/ghost that its token is for does not exist\.$/,
    blocker: 'ServiceAccount team/ghost',
  },
  {
    title: 'an aggregated ClusterRole without a match',
    async make({ client }) {
      const role = (name: string, of: string) => ({
        metadata: { name },
        rules: [],
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { of } }] },
      });
      await client
        .cluster(clusterRoles)
        .create({ metadata: { name: 'part', labels: { of: 'full' } }, rules: [] });
      await client.cluster(clusterRoles).create(role('full', 'full'));
      await client.cluster(clusterRoles).create(role('empty', 'nothing'));
    },
    reason: 'no-matching-role',
    object: 'ClusterRole empty',
    sentence:
      /^ClusterRole empty grants nothing: no ClusterRole has the labels that its aggregationRule selects\.$/,
  },
  {
    title: 'an aggregated API that is down',
    async make({ client }) {
      await client.cluster(apiServices).create({
        metadata: { name: 'v1.down.example.com' },
        spec: {
          group: 'down.example.com',
          version: 'v1',
          service: { namespace: 'team', name: 'extension' },
          insecureSkipTLSVerify: true,
          groupPriorityMinimum: 1_000,
          versionPriority: 10,
        },
      });
    },
    reason: 'api-unavailable',
    object: 'APIService v1.down.example.com',
    sentence:
      /^APIService v1\.down\.example\.com is not available, because Service team\/extension does not serve it: /,
    blocker: 'Service team/extension',
  },
  {
    title: 'a webhook that refuses',
    async make(world) {
      await webhook(world, `${DENYING}/`);
      await world.client.namespaced(jobs, 'team').create(job('work'));
    },
    reason: 'webhook-refuses',
    object: 'Job team/work',
    sentence:
      /^Job team\/work cannot write what it needs: the webhook pods\.example\.com of ValidatingWebhookConfiguration guard refuses it: no pods today\.$/,
    blocker: 'ValidatingWebhookConfiguration guard',
  },
  {
    title: 'a webhook that does not respond',
    async make(world) {
      await webhook(world, 'https://nobody.test/');
      await world.client.namespaced(jobs, 'team').create(job('work'));
    },
    reason: 'webhook-unreachable',
    object: 'Job team/work',
    sentence:
      /^Job team\/work cannot write what it needs, because the webhook pods\.example\.com of ValidatingWebhookConfiguration guard does not respond: /,
    blocker: 'ValidatingWebhookConfiguration guard',
  },
  {
    title: 'a finalizer that nobody removes',
    async make(world) {
      await mapsOf(world).create({ metadata: { name: 'healthy' } });
      await heldMap(world);
      await mapsOf(world).delete('held');
    },
    reason: 'deletion-blocked',
    object: 'ConfigMap team/held',
    sentence:
      /^ConfigMap team\/held cannot be deleted: its finalizer example\.com\/hold has not been removed by whoever set it\.$/,
  },
];

/** Every situation in which an operator asks why an object is stuck. */
export const situations: readonly Situation[] = [
  namespaceSituation,
  ...requestSituations,
  ...scheduleSituations,
  ...workSituations,
];

/**
 * Objects of a healthy cluster, in which everything is finished in the end.
 * @param observe called while objects wait to be finished
 */
export async function healthyCluster(world: World, observe: () => void): Promise<void> {
  const { client, clock } = world;
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 1_000) {
      await clock.advance(1_000);
      observe();
    }
  };
  await cronOf(world).create(cronJob('hourly', { schedule: '*/5 * * * *' }));
  await cronOf(world).create(cronJob('leap-day', { schedule: '0 0 29 2 *' }));
  await cronOf(world).create(cronJob('forbids', { concurrencyPolicy: 'Forbid', schedule: '0 * * * *' }));
  const requests = certificateRequests(world);
  const signerName = world.vocabulary.signers.apiserverClient;
  for (const name of ['a', 'b', 'c']) {
    await requests.post(name, requestPem(`/CN=${name}`), { signerName });
    await pass(3_000);
    await requests.decide(name, 'Approved');
    await mapsOf(world).create({ metadata: { name, finalizers: [HOLD] } });
    await client.namespaced(jobs, 'team').create(job(name));
    await client.cluster(namespaces).create({ metadata: { name: `going-${name}` } });
    await mapsOf(world, `going-${name}`).create({ metadata: { name } });
    await client.cluster(namespaces).delete(`going-${name}`);
  }
  await pass(1_000);
  for (const name of ['a', 'b', 'c']) {
    await mapsOf(world).delete(name);
    await pass(5_000);
    await mapsOf(world).patch(name, 'merge', { metadata: { finalizers: null } });
  }
  await client.namespaced(resourceQuotas, 'team').create({
    metadata: { name: 'wide', annotations: { at: toTime(clock.now()) } },
    spec: { hard: { pods: '100' } },
  });
}
