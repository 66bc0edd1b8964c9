import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, at, createApi, nameOf } from './api.ts';
import { type Program, createWorkbench } from './process.ts';
import { CRON_JOBS, MAPS, PODS, REQUESTS } from './bad-input-case.ts';
import { cases } from './bad-input-cases.ts';

/** Invalid input to the real server over real TLS. */
const bench = createWorkbench();

let program: Program;

let api: Api;

let before: readonly string[];

/** Returns every object that these tests could create, with its version. */
const stored = async (): Promise<readonly string[]> =>
  (await Promise.all([MAPS, PODS, CRON_JOBS, REQUESTS].map((path) => api.items(path))))
    .flat()
    .map(
      (object) =>
        `${String(object['kind'])} ${nameOf(object)} ${String(at(object, 'metadata', 'resourceVersion'))}`,
    );

beforeAll(async () => {
  const folder = join(bench.folder(), 'data');
  // Without controllers, only these tests write objects.
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

  it('treats null in place of bytes as empty bytes', async () => {
    const secrets = '/api/v1/namespaces/default/secrets';
    const made = await api.call('POST', secrets, {
      body: { metadata: { name: 'empty' }, data: { a: null } },
    });
    expect([made.status, made.json['data']]).toEqual([201, { a: '' }]);
  });

  it('leaves the stored objects unchanged, and logs no internal error', async () => {
    expect(await stored()).toEqual(before);
    expect((await api.call('GET', '/readyz')).text).toBe('ok');
    expect(program.running).toBe(true);
    const defects = program.stderr.split('\n').filter((line) => line.includes('"level":"error"'));
    expect(defects).toEqual([]);
  });
});
