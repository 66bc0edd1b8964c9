import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateKeyPair } from '../../base/pki/keys.ts';
import { onePem, toPem } from '../../base/pki/pem.ts';
import { createCertificateRequest } from '../../base/pki/request.ts';
import { type Api, at, createApi, nameOf } from './api.ts';
import { type Program, createWorkbench } from './process.ts';

/** Invalid input to the real server over real TLS. */
const bench = createWorkbench();
const MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
const CRON_JOBS = '/apis/batch/v1/namespaces/default/cronjobs';
const REQUESTS = '/apis/certificates.orch.io/v1/certificatesigningrequests';
const LIMIT = 3 * 1024 * 1024;

let program: Program;
let api: Api;
let before: readonly string[];

/** Returns every object these tests could leave, with its version. */
const stored = async (): Promise<readonly string[]> =>
  (await Promise.all([MAPS, PODS, CRON_JOBS, REQUESTS].map((path) => api.items(path))))
    .flat()
    .map(
      (object) =>
        `${String(object['kind'])} ${nameOf(object)} ${String(at(object, 'metadata', 'resourceVersion'))}`,
    );

beforeAll(async () => {
  const folder = join(bench.folder(), 'data');
  // Runs without controllers, so that only these tests write.
  program = bench.orch(['apiserver', '--data-dir', folder, '--secure-port', '0']);
  await program.output(/^ready https/m);
  api = createApi(join(folder, 'admin.conf'));
  await api.call('POST', MAPS, { body: { metadata: { name: 'there' }, data: { a: '1' } } });
  before = await stored();
});

afterAll(async () => {
  await api?.close();
  await bench.close();
});

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

const JSON_PATCH = { 'content-type': 'application/json-patch+json' };
const STRATEGIC = { 'content-type': 'application/strategic-merge-patch+json' };
const YAML = { 'content-type': 'application/yaml' };

interface Case {
  readonly what: string;
  readonly method?: string;
  readonly path?: string;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly code: number;
  readonly reason: string | undefined;
  /** Text that the message must contain. */
  readonly says: string | RegExp;
}

const cases: readonly Case[] = [
  {
    what: 'JSON cut short',
    body: '{"metadata":{"name":"x"',
    code: 400,
    reason: 'BadRequest',
    says: /couldn't|unexpected|JSON/,
  },
  { what: 'a truth value', body: 'true', code: 400, reason: 'BadRequest', says: 'cannot unmarshal bool' },
  { what: 'no JSON at all', body: 'hello', code: 400, reason: 'BadRequest', says: /invalid|couldn't|json/i },
  {
    what: 'bytes that are no UTF-8',
    body: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]).toString('latin1'),
    code: 400,
    reason: 'BadRequest',
    says: /./,
  },
  { what: 'an array', body: '[]', code: 400, reason: 'BadRequest', says: /array|object|cannot/ },
  { what: 'null', body: 'null', code: 422, reason: 'Invalid', says: 'name or generateName is required' },
  {
    what: 'a text where an object belongs',
    body: { metadata: 'x' },
    code: 400,
    reason: 'BadRequest',
    says: 'metadata',
  },
  {
    what: 'a number where a text belongs',
    body: { metadata: { name: 7 } },
    code: 400,
    reason: 'BadRequest',
    says: 'name',
  },
  {
    what: 'a number among the data',
    body: { metadata: { name: 'x' }, data: { a: 1 } },
    code: 400,
    reason: 'BadRequest',
    says: 'data',
  },
  {
    what: 'a list where an object belongs',
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
    what: 'a name that leaves its folder',
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
    what: 'a label that is none',
    body: { metadata: { name: 'x', labels: { a: 'b c' } } },
    code: 422,
    reason: 'Invalid',
    says: 'metadata.labels',
  },
  {
    what: 'a key of data that is none',
    body: { metadata: { name: 'x' }, data: { 'a b': '' } },
    code: 422,
    reason: 'Invalid',
    says: 'data[a b]',
  },
  {
    what: 'an unknown field, strictly',
    path: `${MAPS}?fieldValidation=Strict`,
    body: { metadata: { name: 'x' }, dada: {} },
    code: 400,
    reason: 'BadRequest',
    says: 'unknown field "dada"',
  },
  {
    what: 'a doubled field, strictly',
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
  { what: 'YAML that is none', body: 'a: [', headers: YAML, code: 400, reason: 'BadRequest', says: /yaml/i },
  {
    what: 'YAML whose aliases explode',
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
    what: 'a schedule that is none',
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
    what: 'a deadline that is no whole number',
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
    what: 'a certificate request whose PEM holds no request',
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
  {
    what: 'a merge patch that is no object',
    method: 'PATCH',
    path: `${MAPS}/there`,
    body: '"x"',
    code: 400,
    reason: 'BadRequest',
    says: /./,
  },
  {
    what: 'a merge patch with wrong types',
    method: 'PATCH',
    path: `${MAPS}/there`,
    body: { data: { a: 1 } },
    code: 422,
    reason: 'Invalid',
    says: 'data',
  },
  {
    what: 'a JSON patch that is no list',
    method: 'PATCH',
    path: `${MAPS}/there`,
    body: '{}',
    headers: JSON_PATCH,
    code: 400,
    reason: 'BadRequest',
    says: /./,
  },
  {
    what: 'a JSON patch of an unknown operation',
    method: 'PATCH',
    path: `${MAPS}/there`,
    body: [{ op: 'fly', path: '/data' }],
    headers: JSON_PATCH,
    code: 422,
    reason: 'Invalid',
    says: /./,
  },
  {
    what: 'a JSON patch whose test fails',
    method: 'PATCH',
    path: `${MAPS}/there`,
    body: [{ op: 'test', path: '/data/a', value: '2' }],
    headers: JSON_PATCH,
    code: 422,
    reason: 'Invalid',
    says: /./,
  },
  {
    what: 'a JSON patch into __proto__',
    method: 'PATCH',
    path: `${MAPS}/there`,
    body: [{ op: 'add', path: '/__proto__/polluted', value: '1' }],
    headers: JSON_PATCH,
    code: 422,
    reason: 'Invalid',
    says: /./,
  },
  {
    what: 'a strategic patch with an unknown directive',
    method: 'PATCH',
    path: `${MAPS}/there`,
    body: { data: { $patch: 'fly' } },
    headers: STRATEGIC,
    code: 400,
    reason: 'BadRequest',
    says: /fly|patch/,
  },
  {
    what: 'a patch that renames',
    method: 'PATCH',
    path: `${MAPS}/there`,
    body: { metadata: { name: 'other' } },
    code: 400,
    reason: 'BadRequest',
    says: 'name',
  },
  {
    what: 'options of a deletion that are none',
    method: 'DELETE',
    path: `${MAPS}/there`,
    body: '{"gracePeriodSeconds":"x"}',
    // Upstream returns 500 without a reason for options it cannot decode.
    code: 500,
    reason: undefined,
    says: 'gracePeriodSeconds',
  },
];

describe('bad input over TLS', () => {
  it.each(cases)(
    'returns $code $reason for $what',
    async ({ method = 'POST', path = MAPS, body, headers, code, reason, says }) => {
      const reply = await api.call(method, path, { body, ...(headers ? { headers } : {}) });
      expect(reply.json).toMatchObject({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code });
      expect(reply.json['reason']).toBe(reason);
      expect(reply.status).toBe(code);
      expect(reply.json['message']).toMatch(says);
      expect(reply.text).not.toMatch(/\.(ts|js):\d+|at \S+ \(|node_modules/);
      expect(reply.text.length).toBeLessThan(10_000);
      expect(await stored()).toEqual(before);
    },
  );

  it('keeps keys like __proto__ as plain keys', async () => {
    const text =
      '{"metadata":{"name":"keys","annotations":{"a":"b"}},"data":{"constructor":"1","toString":"2"},"__proto__":{"polluted":"1"}}';
    const made = await api.call('POST', MAPS, { body: text });
    expect(made.status).toBe(201);
    expect(made.json['data']).toEqual({ constructor: '1', toString: '2' });
    const patched = await api.call('PATCH', `${MAPS}/keys`, {
      body: '{"data":{"__proto__":"3","hasOwnProperty":"4"},"__proto__":{"data":{"polluted":"1"}}}',
    });
    expect(patched.status).toBe(200);
    expect(patched.text).toContain('"__proto__":"3"');
    expect(patched.text).not.toContain('polluted');
    const other = await api.call('GET', `${MAPS}/there`);
    expect(other.json['data']).toEqual({ a: '1' });
    expect(other.text).not.toContain('polluted');
    expect((await api.call('DELETE', `${MAPS}/keys`)).status).toBe(200);
  });

  it('reads null in place of bytes as empty', async () => {
    const secrets = '/api/v1/namespaces/default/secrets';
    const made = await api.call('POST', secrets, {
      body: { metadata: { name: 'empty' }, data: { a: null } },
    });
    expect([made.status, made.json['data']]).toEqual([201, { a: '' }]);
  });

  it("leaves the server's objects unchanged, and logs no defect", async () => {
    expect(await stored()).toEqual(before);
    expect((await api.call('GET', '/readyz')).text).toBe('ok');
    expect(program.running).toBe(true);
    const defects = program.stderr.split('\n').filter((line) => line.includes('"level":"error"'));
    expect(defects).toEqual([]);
  });
});
