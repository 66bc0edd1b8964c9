import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Overview } from '../../dashboard/model/documents.ts';
import { freePort } from '../free-port.ts';
import { environment } from '../real-time.ts';
import { createRedisServer, type RedisServer } from '../redis-server.ts';
import { createServiceTls } from '../service-tls.ts';
import { service } from '../services.ts';
import { type Api, at, createApi } from './api.ts';
import { approvedRequest, certificateOf, created, eventually, filledNamespace, statusOf } from './cluster.ts';
import { type Program, createWorkbench } from './process.ts';

const redisProgram = service('redis-server', 'controller managers that share a Redis');
const READY = /^ready https/m;

const bench = createWorkbench();
let folder: string;
let api: Api;

const startManager = (...flags: readonly string[]): Program =>
  bench.orch(['controller-manager', '--data-dir', folder, ...flags]);

beforeAll(async () => {
  folder = join(bench.folder(), 'data');
  await bench.orch(['apiserver', '--data-dir', folder, '--secure-port', '0']).output(READY);
  api = createApi(join(folder, 'admin.conf'));
});

afterAll(async () => {
  await api?.close();
  await bench.close();
});

describe('two controller managers that elect a leader', () => {
  const LEASE_MS = 3_000;
  const RETRY_MS = 500;
  const flags = [
    '--leader-elect',
    `--leader-elect-lease-duration=${LEASE_MS}ms`,
    '--leader-elect-renew-deadline=2500ms',
    `--leader-elect-retry-period=${RETRY_MS}ms`,
  ];
  const lease =
    '/apis/coordination.orch.io/v1/namespaces/orch-system/leases/orch-controller-manager-csrsigning';
  const leaseSpec = async (field: string): Promise<unknown> =>
    at((await api.call('GET', lease)).json, 'spec', field);

  it('continue after the leader was killed, once its lease has expired', async () => {
    const leader = startManager(...flags);
    await leader.output(READY);
    const first = await leaseSpec('holderIdentity');
    const standby = startManager(...flags);
    await standby.output(READY);
    await filledNamespace(api, 'elected');
    await approvedRequest(api, 'elected');
    await eventually(certificateOf(api, 'elected')).toBeTypeOf('string');
    expect([await leaseSpec('holderIdentity'), await leaseSpec('leaseTransitions')]).toEqual([first, 0]);

    await leader.end('SIGKILL');
    const killedMs = performance.now();
    await approvedRequest(api, 'taken-over');
    await eventually(() => leaseSpec('leaseTransitions')).toBe(1);
    const tookMs = performance.now() - killedMs;
    // The lease may have been renewed up to one retry period before the kill. The remaining tolerance is for
    // a busy machine.
    expect(tookMs).toBeGreaterThan(LEASE_MS - 2 * RETRY_MS);
    expect(tookMs).toBeLessThan(LEASE_MS + RETRY_MS + 2_000);
    expect(await leaseSpec('holderIdentity')).not.toBe(first);
    await eventually(certificateOf(api, 'taken-over')).toBeTypeOf('string');
    await filledNamespace(api, 'taken-over');
    expect(await standby.end('SIGTERM')).toMatchObject({ code: 0 });
  });
});

describe.skipIf(redisProgram.missing)('a controller manager and a Redis over TLS', () => {
  it('connect with the authority and certificate of the flags', async () => {
    const tls = createServiceTls(environment);
    const redis = await createRedisServer(redisProgram.path ?? '', { tls });
    onTestFinished(() => redis.close());
    await redis.start();
    const pems = bench.folder();
    const flags = Object.entries(tls).map(([name, pem]) => {
      writeFileSync(join(pems, name), pem, { mode: 0o600 });
      return `--redis-${name}-file=${join(pems, name)}`;
    });
    const manager = startManager(`--redis-url=${redis.url}`, ...flags);
    await manager.output(READY);
    await filledNamespace(api, 'over-tls');
    expect(await redis.command('KEYS', '{orch:*')).toContain('{orch:namespace}');
    expect(await manager.end('SIGTERM')).toMatchObject({ code: 0 });
  });
});

describe.skipIf(redisProgram.missing)('two controller managers over one Redis', () => {
  const managers: Program[] = [];
  const ports: number[] = [];
  let redis: RedisServer | undefined;

  beforeAll(async () => {
    const started = await createRedisServer(redisProgram.path ?? '');
    redis = started;
    await started.start();
    const shared = ['--redis-url', started.url, '--healthz-dashboard', '--healthz-port'];
    for (let i = 0; i < 2; i++) {
      ports.push(await freePort());
      managers.push(startManager(...shared, String(ports[i])));
    }
    await Promise.all(managers.map((manager) => manager.output(READY)));
  });

  afterAll(() => redis?.close());

  it('share the keys', async () => {
    await filledNamespace(api, 'together');
    await Promise.all(Array.from({ length: 20 }, (_, i) => approvedRequest(api, `together-${i}`)));
    for (let i = 0; i < 20; i++) await eventually(certificateOf(api, `together-${i}`)).toBeTypeOf('string');
  });

  it('report each other, with the share of each in the reconciles', async () => {
    const overview = async (port = 0): Promise<Overview> =>
      (await fetch(`http://127.0.0.1:${port}/journal/v1/controllers`)).json() as Promise<Overview>;
    const shares = async (): Promise<readonly (number | undefined)[]> =>
      (await overview(ports[0])).replicas.map(({ reconciles }) => reconciles);
    await eventually(async () => (await shares()).filter((reconciles = 0) => reconciles > 0)).toHaveLength(2);
    const [first, second] = await Promise.all(ports.map((port) => overview(port)));
    const identities = ({ replicas }: Overview = expect.unreachable()): readonly string[] =>
      replicas.map(({ identity }) => identity);
    expect(identities(first)).toEqual(identities(second).toReversed());
    expect(first?.replicas.reduce((sum, { share = 0 }) => sum + share, 0)).toBeCloseTo(1);
    const signing = first?.controllers.find(({ name }) => name === 'csrsigning');
    expect(signing?.shares).toHaveLength(2);
  });

  it('continue when one of them is killed during a reconcile', async () => {
    const names = Array.from({ length: 60 }, (_, i) => `n${i}`);
    const posted = names.map(async (name) => {
      await created(api, '/api/v1/namespaces', { metadata: { name } });
      await approvedRequest(api, name);
    });
    await Promise.race(posted);
    await managers[0]?.end('SIGKILL');
    await Promise.all(posted);
    for (const name of names) {
      await expect.poll(certificateOf(api, name), { timeout: 60_000, interval: 50 }).toBeTypeOf('string');
      await eventually(statusOf(api, `/api/v1/namespaces/${name}/serviceaccounts/default`)).toBe(200);
    }
    expect(managers[1]?.running).toBe(true);
  }, 100_000);

  it('continue without a restart after Redis has lost all data', async () => {
    await redis?.kill();
    await redis?.start();
    await filledNamespace(api, 'after-redis');
  });

  it('exit within 5 s while Redis is down', async () => {
    await redis?.kill();
    const end = await managers[1]?.end('SIGTERM', 10_000);
    expect(end).toMatchObject({ code: 0 });
    expect(end?.tookMs).toBeLessThan(5_000);
  });
});
