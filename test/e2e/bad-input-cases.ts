import { generateKeyPair } from '../../base/pki/keys.ts';
import { onePem, toPem } from '../../base/pki/pem.ts';
import { createCertificateRequest } from '../../base/pki/request.ts';
import { type Case, CRON_JOBS, MAPS, REQUESTS } from './bad-input-case.ts';
import { patchCases } from './bad-input-patch-cases.ts';

const LIMIT = 3 * 1024 * 1024;

const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

const cronJob = (spec: unknown) => ({ metadata: { name: 'c' }, spec });

const template = {
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
};

const request = (pem: string, more: object = {}) => ({
  metadata: { name: 'r' },
  spec: {
    request: Buffer.from(pem).toString('base64'),
    signerName: 'orch.io/orch-apiserver-client',
    usages: ['client auth'],
    ...more,
  },
});

function tampered(): string {
  const pem = createCertificateRequest(generateKeyPair('ec-p256'), { commonName: 'me', organizations: [] });
  const der = Buffer.from(onePem(pem, 'CERTIFICATE REQUEST'));
  const at = der.indexOf('me');
  der.write('ME', at);
  return toPem('CERTIFICATE REQUEST', der);
}

const YAML = { 'content-type': 'application/yaml' };

/** All invalid requests. */
export const cases: readonly Case[] = [
  {
    what: 'truncated JSON',
    body: '{"metadata":{"name":"x"',
    code: 400,
    reason: 'BadRequest',
    says: /couldn't|unexpected|JSON/,
  },
  { what: 'a boolean', body: 'true', code: 400, reason: 'BadRequest', says: 'cannot unmarshal bool' },
  {
    what: 'text that is no JSON',
    body: 'hello',
    code: 400,
    reason: 'BadRequest',
    says: /invalid|couldn't|json/i,
  },
  {
    what: 'bytes that are not UTF-8',
    body: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]).toString('latin1'),
    code: 400,
    reason: 'BadRequest',
    says: /./,
  },
  { what: 'an array', body: '[]', code: 400, reason: 'BadRequest', says: /array|object|cannot/ },
  { what: 'null', body: 'null', code: 422, reason: 'Invalid', says: 'name or generateName is required' },
  {
    what: 'a string for an object',
    body: { metadata: 'x' },
    code: 400,
    reason: 'BadRequest',
    says: 'metadata',
  },
  {
    what: 'a number for a string',
    body: { metadata: { name: 7 } },
    code: 400,
    reason: 'BadRequest',
    says: 'name',
  },
  {
    what: 'a number as a data value',
    body: { metadata: { name: 'x' }, data: { a: 1 } },
    code: 400,
    reason: 'BadRequest',
    says: 'data',
  },
  {
    what: 'a list for an object',
    body: { metadata: { name: 'x' }, data: [] },
    code: 400,
    reason: 'BadRequest',
    says: 'data',
  },
  {
    what: 'another kind',
    body: { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'x' } },
    code: 400,
    reason: 'BadRequest',
    says: /Secret|kind/,
  },
  {
    what: 'another version',
    body: { kind: 'ConfigMap', apiVersion: 'v9', metadata: { name: 'x' } },
    code: 400,
    reason: 'BadRequest',
    says: /v9|version/,
  },
  {
    what: 'a name that is no DNS label',
    body: { metadata: { name: 'No_Such' } },
    code: 422,
    reason: 'Invalid',
    says: 'metadata.name: Invalid value: "No_Such"',
  },
  {
    what: 'a name with a parent path',
    body: { metadata: { name: '../x' } },
    code: 422,
    reason: 'Invalid',
    says: 'metadata.name',
  },
  {
    what: 'no name',
    body: { metadata: {} },
    code: 422,
    reason: 'Invalid',
    says: 'name or generateName is required',
  },
  {
    what: 'the name __proto__',
    body: { metadata: { name: '__proto__' } },
    code: 422,
    reason: 'Invalid',
    says: 'metadata.name',
  },
  {
    what: 'another namespace',
    body: { metadata: { name: 'x', namespace: 'other' } },
    code: 400,
    reason: 'BadRequest',
    says: 'namespace',
  },
  {
    what: 'an invalid label',
    body: { metadata: { name: 'x', labels: { a: 'b c' } } },
    code: 422,
    reason: 'Invalid',
    says: 'metadata.labels',
  },
  {
    what: 'an invalid data key',
    body: { metadata: { name: 'x' }, data: { 'a b': '' } },
    code: 422,
    reason: 'Invalid',
    says: 'data[a b]',
  },
  {
    what: 'an unknown field in strict mode',
    path: `${MAPS}?fieldValidation=Strict`,
    body: { metadata: { name: 'x' }, dada: {} },
    code: 400,
    reason: 'BadRequest',
    says: 'unknown field "dada"',
  },
  {
    what: 'a duplicate field in strict mode',
    path: `${MAPS}?fieldValidation=Strict`,
    body: '{"metadata":{"name":"x"},"data":{"a":"1"},"data":{"a":"2"}}',
    code: 400,
    reason: 'BadRequest',
    says: 'duplicate field "data"',
  },
  {
    what: 'one byte more than 3 MiB',
    body: JSON.stringify({ metadata: { name: 'x' } }).padEnd(LIMIT + 1),
    code: 413,
    reason: 'RequestEntityTooLarge',
    says: 'limit is 3145728',
  },
  {
    what: 'far more than 3 MiB',
    body: `{"data":{"a":"${'x'.repeat(8 * LIMIT)}"}}`,
    code: 413,
    reason: 'RequestEntityTooLarge',
    says: 'limit is 3145728',
  },
  {
    what: 'objects 100,000 deep',
    body: nested(100_000),
    code: 400,
    reason: 'BadRequest',
    says: /depth|deep|nest/,
  },
  {
    what: 'arrays 500,000 deep',
    body: `{"data":${'['.repeat(500_000)}`,
    code: 400,
    reason: 'BadRequest',
    says: /./,
  },
  {
    what: 'objects 100,000 deep in a patch',
    method: 'PATCH',
    path: `${MAPS}/there`,
    body: nested(100_000),
    code: 400,
    reason: 'BadRequest',
    says: /./,
  },
  { what: 'invalid YAML', body: 'a: [', headers: YAML, code: 400, reason: 'BadRequest', says: /yaml/i },
  {
    what: 'YAML with exploding aliases',
    body: `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghij'
      .split('')
      .map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghij'[i]}`).join(',')}]\n`)
      .join('')}`,
    headers: YAML,
    code: 400,
    reason: 'BadRequest',
    says: /./,
  },
  {
    what: 'YAML 100,000 deep',
    body: '['.repeat(100_000),
    headers: YAML,
    code: 400,
    reason: 'BadRequest',
    says: /./,
  },
  {
    what: 'an invalid schedule',
    path: CRON_JOBS,
    body: cronJob({ schedule: 'often', jobTemplate: template }),
    code: 422,
    reason: 'Invalid',
    says: 'spec.schedule: Invalid value: "often"',
  },
  {
    what: 'a CronJob without a template',
    path: CRON_JOBS,
    body: cronJob({ schedule: '* * * * *' }),
    code: 422,
    reason: 'Invalid',
    says: 'spec.jobTemplate',
  },
  {
    what: 'a negative deadline',
    path: CRON_JOBS,
    body: cronJob({ schedule: '* * * * *', startingDeadlineSeconds: -1, jobTemplate: template }),
    code: 422,
    reason: 'Invalid',
    says: 'spec.startingDeadlineSeconds',
  },
  {
    what: 'a fractional deadline',
    path: CRON_JOBS,
    body: cronJob({ schedule: '* * * * *', startingDeadlineSeconds: 1.5, jobTemplate: template }),
    code: 400,
    reason: 'BadRequest',
    says: 'startingDeadlineSeconds',
  },
  {
    what: 'a certificate request that is no PEM',
    path: REQUESTS,
    body: request('hello'),
    code: 422,
    reason: 'Invalid',
    says: 'spec.request: Invalid value',
  },
  {
    what: 'a certificate request that is no base64',
    path: REQUESTS,
    body: { ...request(''), spec: { ...request('').spec, request: '***' } },
    code: 400,
    reason: 'BadRequest',
    says: /request|base64/,
  },
  {
    what: 'a certificate request with other PEM content',
    path: REQUESTS,
    body: request(toPem('CERTIFICATE REQUEST', Buffer.from('hello'))),
    code: 422,
    reason: 'Invalid',
    says: 'spec.request: Invalid value',
  },
  {
    what: 'a certificate request under another label',
    path: REQUESTS,
    body: request(toPem('CERTIFICATE', Buffer.from('hello'))),
    code: 422,
    reason: 'Invalid',
    says: 'spec.request: Invalid value',
  },
  {
    what: 'a certificate request whose signature does not verify',
    path: REQUESTS,
    body: request(tampered()),
    code: 422,
    reason: 'Invalid',
    says: 'spec.request: Invalid value',
  },
  {
    what: 'a certificate request with an unknown usage',
    path: REQUESTS,
    body: request(tampered(), { usages: ['fly'] }),
    code: 422,
    reason: 'Invalid',
    says: 'spec.usages[0]',
  },
  ...patchCases,
];
