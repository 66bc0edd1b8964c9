import { beforeAll, describe, expect, it } from 'vitest';
import { type ScriptedClient, type Told, isMissing, playScript } from './scripted.ts';

const python: ScriptedClient = {
  suite: 'the Python client',
  program: '/usr/bin/python3',
  probe: ['-c', 'import kubernetes'],
  script: 'session.py',
  packedIn: 'python3-kubernetes',
};

/** Generated classes of the served versions. The other classes of the library are alpha. */
const SERVED = [
  'AdmissionregistrationV1Api',
  'ApiextensionsV1Api',
  'ApiregistrationV1Api',
  'AppsV1Api',
  'AutoscalingV1Api',
  'BatchV1Api',
  'CertificatesV1Api',
  'CoordinationV1Api',
  'CoreV1Api',
  'DiscoveryV1Api',
  'EventsV1Api',
  'NetworkingV1Api',
  'NodeV1Api',
  'PolicyV1Api',
  'RbacAuthorizationV1Api',
  'SchedulingV1Api',
  'StorageV1Api',
];

describe.skipIf(isMissing(python))('the Python client', () => {
  let told: Told;
  beforeAll(async () => {
    told = await playScript(python);
  });

  it.each(SERVED)('reads all lists of %s', (name) => {
    expect(told.get(`lists of ${name}`)).toEqual({ value: {} });
  });

  it('receives 404 from every class for resources that are not served, and no other error', () => {
    const classes = [...told].filter(([step]) => step.startsWith('lists of '));
    expect(classes.length).toBeGreaterThan(SERVED.length);
    for (const [step, { value }] of classes) {
      const statuses = new Set(Object.values(value as object));
      expect([step, [...statuses]]).toEqual([step, step.includes('alpha') ? [404] : []]);
    }
  });

  it.each<[string, unknown]>([
    ['namespace', 'python'],
    ['create', { k: 'v' }],
    ['patch', { k: 'v', x: 'y' }],
    ['patch by operations', { k: 'v' }],
    ['replace', { z: '1' }],
    ['delete', 'Success'],
    ['watch', ['ADDED', 'MODIFIED', 'MODIFIED', 'MODIFIED', 'DELETED']],
    ['create from a dictionary', 'web'],
    ['scale', 3],
    ['scale by hand', 'app=web'],
    ['pod', 'p-'],
    ['page', 1],
    ['evict', 0],
    ['token', 'system:serviceaccount:python:default'],
    ['access', true],
    ['definition', 'foos.python.example.com'],
    ['custom object', { a: 1 }],
    ['custom patch', { a: 1, b: 2 }],
    ['custom list', 1],
    ['dynamic client', [{ k: 'v' }, { a: 1, b: 2 }]],
    ['delete collection', []],
    ['version', expect.stringMatching(/^v1\.24\./)],
  ])('receives the expected value: %s', (step, value) => {
    expect(told.get(step)).toEqual({ value });
  });

  it.each([
    ['create again', 409],
    ['nothing there', 404],
  ])('receives an error response with its status: %s', (step, error) => {
    expect(told.get(step)).toEqual({ error });
  });
});
