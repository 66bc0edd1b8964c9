import { createServer } from 'node:net';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../free-port.ts';
import { createApi } from './api.ts';
import { createWorkbench } from './process.ts';

const bench = createWorkbench();
afterAll(() => bench.close());

const READY = /^ready (https:\/\/\S+)(.*)$/m;
const up = (folder: string, ...more: readonly string[]) =>
  bench.orch(['up', '--data-dir', folder, '--secure-port', '0', ...more]);

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort();

describe('a first start', () => {
  it('creates certificates, keys and kubeconfigs that only their owner can read and that later starts reuse', async () => {
    const folder = join(bench.folder(), 'data');
    const first = up(folder);
    await first.output(READY);
    const files = filesBelow(folder).filter((name) => !name.startsWith('store'));
    expect(files).toEqual([
      'admin.conf',
      'controller-manager.conf',
      ...['admin', 'apiserver-nodeagent-client', 'apiserver', 'ca', 'controller-manager'].flatMap((name) => [
        `pki/${name}.crt`,
        `pki/${name}.key`,
      ]),
      'pki/front-proxy-ca.crt',
      'pki/front-proxy-ca.key',
      'pki/front-proxy-client.crt',
      'pki/front-proxy-client.key',
      'pki/sa.key',
      'pki/signing-ca.crt',
      'pki/signing-ca.key',
      'vocabulary',
    ]);
    for (const name of files)
      expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o600]);
    expect(statSync(join(folder, 'pki')).mode & 0o777).toBe(0o700);
    const read = (): readonly string[] =>
      files.filter((name) => name.startsWith('pki')).map((name) => readFileSync(join(folder, name), 'utf8'));
    const before = read();
    await first.end('SIGTERM');
    const second = up(folder);
    await second.output(READY);
    expect(read()).toEqual(before);
    await second.end('SIGTERM');
  });

  it('prints one line to standard output once it serves, with instructions', async () => {
    const folder = join(bench.folder(), 'data');
    const program = up(folder, '--vocabulary', 'kubernetes');
    const [line, url, hint] = await program.output(READY);
    expect(program.stdout).toBe(`${line}\n`);
    expect(hint).toContain(`KUBECONFIG=${join(folder, 'admin.conf')}`);
    const api = createApi(join(folder, 'admin.conf'));
    onTestFinished(() => api.close());
    expect(api.server).toBe(url);
    for (const path of ['/readyz', '/livez', '/healthz'])
      expect(await api.call('GET', path)).toMatchObject({ status: 200, text: 'ok' });
    expect((await api.call('GET', '/api/v1/namespaces/default')).status).toBe(200);
    await program.end('SIGTERM');
  });
});

describe('the log', () => {
  it('is JSON lines on standard error, without secrets', async () => {
    const folder = join(bench.folder(), 'data');
    const program = up(folder, '--v', '10', '--enable-bootstrap-token-auth');
    await program.output(READY);
    const api = createApi(join(folder, 'admin.conf'));
    onTestFinished(() => api.close());
    const token = 'abcdef.0123456789abcdef';
    await api.call('POST', '/api/v1/namespaces/orch-system/secrets', {
      body: {
        metadata: { name: 'bootstrap-token-abcdef' },
        type: 'bootstrap.orch.io/token',
        stringData: {
          'token-id': 'abcdef',
          'token-secret': '0123456789abcdef',
          'usage-bootstrap-authentication': 'true',
          'usage-bootstrap-signing': 'true',
        },
      },
    });
    const stranger = createApi(join(folder, 'admin.conf'), { credentials: 'none' });
    onTestFinished(() => stranger.close());
    const headers = { authorization: `Bearer ${token}` };
    expect((await stranger.call('GET', '/api', { headers })).status).toBe(200);
    const refused = { authorization: 'Bearer no-such-token-0123' };
    expect((await stranger.call('GET', '/api', { headers: refused })).status).toBe(401);
    const account = '/api/v1/namespaces/default/serviceaccounts/default';
    await expect.poll(async () => (await api.call('GET', account)).status).toBe(200);
    const issued = await api.call('POST', `${account}/token`, {
      body: { spec: {} },
    });
    const jwt = String((issued.json['status'] as { token?: unknown } | undefined)?.token);
    expect(jwt.split('.').length).toBe(3);
    await program.end('SIGTERM');
    const lines = program.stderr.trimEnd().split('\n');
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: expect.any(String) });
    const keys = filesBelow(join(folder, 'pki'))
      .filter((name) => name.endsWith('.key'))
      .flatMap((name) => readFileSync(join(folder, 'pki', name), 'utf8').split('\n'))
      .filter((line) => line !== '' && !line.startsWith('-----'));
    const secrets = [...keys, '0123456789abcdef', 'no-such-token-0123', jwt, 'PRIVATE KEY'];
    expect(secrets.filter((secret) => program.stderr.includes(secret))).toEqual([]);
  });
});

describe('a signal', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    '%s drains, ends open watches and exits with 0 within 5 s',
    async (signal) => {
      const folder = join(bench.folder(), 'data');
      const program = up(folder);
      await program.output(READY);
      const api = createApi(join(folder, 'admin.conf'));
      onTestFinished(() => api.close());
      const watches = await Promise.all(
        Array.from({ length: 20 }, () => api.watch('/api/v1/configmaps?watch=true')),
      );
      const end = await program.end(signal, 10_000);
      expect(end).toMatchObject({ code: 0, signal: null });
      expect(end.tookMs).toBeLessThan(5_000);
      await Promise.all(watches.map(({ ended }) => ended));
      expect(program.stderr).not.toContain('"level":"error"');
      expect(program.stderr).toContain('"msg":"stopped"');
    },
  );

  it('makes it exit with 0 within 5 s while Redis is unreachable', async () => {
    const redisUrl = `redis://127.0.0.1:${await freePort()}`;
    const folder = join(bench.folder(), 'data');
    const program = up(folder, '--redis-url', redisUrl);
    await program.output(READY);
    const end = await program.end('SIGTERM', 10_000);
    expect(end).toMatchObject({ code: 0, signal: null });
    expect(end.tookMs).toBeLessThan(5_000);
  });

  it('makes it exit with 0 within 5 s during startup', async () => {
    const program = up(join(bench.folder(), 'data'), '--redis-url', `redis://127.0.0.1:${await freePort()}`);
    await program.output(/"msg"/);
    const end = await program.end('SIGINT', 10_000);
    expect(end).toMatchObject({ code: 0, signal: null });
    expect(end.tookMs).toBeLessThan(5_000);
  });
});

describe('the controller thread', () => {
  it('makes the program exit with its error and the code 1 when it fails, and releases the lock', async () => {
    const folder = bench.folder();
    const [strike, preload] = [join(folder, 'strike'), join(folder, 'strike.mjs')];
    writeFileSync(
      preload,
      `import { existsSync } from 'node:fs';
       import { isMainThread } from 'node:worker_threads';
       const look = () => { if (existsSync(${JSON.stringify(strike)})) throw new Error('struck'); };
       if (!isMainThread) setInterval(look, 50);`,
    );
    const data = join(folder, 'data');
    const program = bench.orch(['up', '--data-dir', data, '--secure-port', '0'], {
      env: { NODE_OPTIONS: `--import=${pathToFileURL(preload).href}` },
    });
    await program.output(READY);
    writeFileSync(strike, '');
    expect(await program.exit()).toMatchObject({ code: 1 });
    expect(program.stderr).toMatch(/^Error: struck$/m);
    const after = up(data);
    await after.output(READY);
    expect(await after.end('SIGTERM')).toMatchObject({ code: 0 });
  });
});

const sentence = /^[^\n]+\n$/;

describe('a second start', () => {
  it('rejects a data directory of the other vocabulary with one sentence and exits with 1', async () => {
    const folder = join(bench.folder(), 'data');
    const first = up(folder);
    await first.output(READY);
    await first.end('SIGTERM');
    const second = up(folder, '--vocabulary', 'kubernetes');
    expect(await second.exit()).toMatchObject({ code: 1 });
    expect(second.stderr).toMatch(sentence);
    expect(second.stderr).toContain('--vocabulary orch');
    expect(second.stdout).toBe('');
  });

  it('rejects a data directory in use with one sentence and exits with 1', async () => {
    const folder = join(bench.folder(), 'data');
    const first = up(folder);
    await first.output(READY);
    const second = up(folder);
    expect(await second.exit()).toMatchObject({ code: 1 });
    expect(second.stderr).toMatch(sentence);
    expect(second.stderr).toContain(folder);
    expect(second.stdout).toBe('');
    const api = createApi(join(folder, 'admin.conf'));
    onTestFinished(() => api.close());
    expect((await api.call('GET', '/readyz')).status).toBe(200);
    await first.end('SIGTERM');
  });

  it('reports a port in use with one sentence, exits with 1 and releases the lock', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void taken.close());
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const folder = join(bench.folder(), 'data');
    const program = bench.orch(['up', '--data-dir', folder, '--secure-port', String(port)]);
    expect(await program.exit()).toMatchObject({ code: 1 });
    expect(program.stderr).toMatch(sentence);
    expect(program.stderr).toContain(String(port));
    expect(program.stdout).toBe('');
    expect(existsSync(join(folder, 'admin.conf'))).toBe(false);
    const after = up(folder);
    await after.output(READY);
    await after.end('SIGTERM');
  });

  it('succeeds after the program was killed', async () => {
    const folder = join(bench.folder(), 'data');
    const first = up(folder);
    await first.output(READY);
    await first.end('SIGKILL');
    const second = up(folder);
    await second.output(READY);
    await second.end('SIGTERM');
  });
});
