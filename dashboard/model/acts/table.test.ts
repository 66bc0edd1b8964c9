import { describe, expect, it } from 'vitest';
import type { ActSubject, ActedObject } from './act.ts';
import { actsOf } from './table.ts';

const context = {
  certificatesGroup: 'certificates.test',
  instantiateAnnotation: 'cronjob.test/instantiate',
  suffix: () => 'abcde',
};
const RESOURCES = {
  CronJob: { group: 'batch', version: 'v1', plural: 'cronjobs', namespaced: true },
  Job: { group: 'batch', version: 'v1', plural: 'jobs', namespaced: true },
  ConfigMap: { group: '', version: 'v1', plural: 'configmaps', namespaced: true },
  CertificateSigningRequest: {
    group: 'certificates.test',
    version: 'v1',
    plural: 'certificatesigningrequests',
    namespaced: false,
  },
};

function subject(
  kind: keyof typeof RESOURCES,
  { metadata, ...fields }: ActedObject = {},
  keys: ActSubject['keys'] = [],
): ActSubject {
  const resource = RESOURCES[kind];
  const own = {
    name: 'a',
    uid: 'u',
    resourceVersion: '7',
    ...(resource.namespaced && { namespace: 'team' }),
  };
  const object = { kind, apiVersion: 'batch/v1', ...fields, metadata: { ...own, ...metadata } };
  return { resource, name: resource.namespaced ? 'team/a' : 'a', object, keys };
}

const labels = (given: ActSubject): readonly string[] => actsOf(given, context).map(({ label }) => label);
function performed(given: ActSubject, label: string) {
  const act = actsOf(given, context).find((each) => each.label === label);
  if (act === undefined) throw new Error(`no act ${label}`);
  return act.request();
}

describe('actsOf', () => {
  const request = { spec: { signerName: 'a.test/b' } };
  const condition = (type: string) => ({ status: { conditions: [{ type, status: 'True' }] } });
  it.each<[string, ActSubject, readonly string[]]>([
    ['a ConfigMap', subject('ConfigMap'), []],
    ['a CronJob', subject('CronJob'), ['run now', 'suspend']],
    ['a suspended CronJob', subject('CronJob', { spec: { suspend: true } }), ['run now', 'resume']],
    ['a CronJob in deletion', subject('CronJob', { metadata: { deletionTimestamp: 'now' } }), []],
    ['a Job', subject('Job'), ['suspend']],
    ['a finished Job', subject('Job', condition('Complete')), []],
    ['an undecided request', subject('CertificateSigningRequest', request), ['approve', 'deny']],
    ['a denied request', subject('CertificateSigningRequest', { ...request, ...condition('Denied') }), []],
    [
      'an object with finalizers',
      subject('ConfigMap', { metadata: { finalizers: ['a.test/x', 'a.test/y'] } }),
      ['remove a.test/x', 'remove a.test/y'],
    ],
    ['a key', subject('ConfigMap', {}, [{ controller: 'c', key: 'team/a' }]), ['reconcile now']],
    [
      'a key without its object',
      { ...subject('ConfigMap', {}, [{ controller: 'c', key: 'k' }]), object: undefined },
      ['reconcile now'],
    ],
  ])('returns the acts of %s', (_, given, expected) => expect(labels(given)).toEqual(expected));

  it('needs at least one right for each act, and gives each a unique label', () => {
    const keys = ['c', 'd'].map((controller) => ({ controller, key: 'k' }));
    const acts = actsOf(subject('CronJob', { metadata: { finalizers: ['a.test/x'] } }, keys), context);
    for (const { needs } of acts) expect(needs.flatMap(({ anyOf }) => anyOf).length).toBeGreaterThan(0);
    expect(new Set(acts.map(({ label }) => label)).size).toBe(acts.length);
  });
});

describe('the request of an act', () => {
  it('removes only the chosen finalizer, from the version that was displayed', () => {
    const given = subject('ConfigMap', { metadata: { finalizers: ['a.test/x', 'a.test/y'] } });
    expect(performed(given, 'remove a.test/x')).toMatchObject({
      method: 'PATCH',
      path: '/api/v1/namespaces/team/configmaps/a',
      body: { metadata: { uid: 'u', resourceVersion: '7', finalizers: ['a.test/y'] } },
    });
  });

  it('creates a Job from a CronJob, with a name of at most 63 characters', () => {
    const spec = { jobTemplate: { metadata: { labels: { app: 'a' } }, spec: { template: {} } } };
    const name = 'x'.repeat(52);
    const { path, body } = performed(subject('CronJob', { spec, metadata: { name } }), 'run now');
    expect(path).toBe('/apis/batch/v1/namespaces/team/jobs');
    expect(body).toMatchObject({
      kind: 'Job',
      metadata: {
        name: `${'x'.repeat(50)}-manual-abcde`,
        labels: { app: 'a' },
        annotations: { 'cronjob.test/instantiate': 'manual' },
        ownerReferences: [{ kind: 'CronJob', name, uid: 'u', controller: true }],
      },
      spec: { template: {} },
    });
  });

  it('keeps the conditions of a certificate request', () => {
    const given = subject('CertificateSigningRequest', {
      spec: { signerName: 'a.test/b' },
      status: { conditions: [{ type: 'Other', status: 'True' }] },
    });
    expect(performed(given, 'deny')).toMatchObject({
      method: 'PUT',
      path: '/apis/certificates.test/v1/certificatesigningrequests/a/approval',
      body: { status: { conditions: [{ type: 'Other' }, { type: 'Denied', status: 'True' }] } },
    });
  });
});
