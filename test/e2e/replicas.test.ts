import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRedisServer, type RedisServer } from '../redis-server.ts';
import { service } from '../services.ts';
import { type Api, createApi } from './api.ts';
import { approvedRequest, certificateOf, created, eventually, filledNamespace, statusOf } from './cluster.ts';
import { type Program, createWorkbench } from './process.ts';

const redisProgram = service('redis-server', 'controller managers that share a Redis');
const READY = /^ready https/m;

describe.skipIf(redisProgram.missing)('two controller managers over one Redis', () => {
  const bench = createWorkbench();
  const managers: Program[] = [];
  let redis: RedisServer | undefined;
  let api: Api;

  beforeAll(async () => {
    redis = await createRedisServer(redisProgram.path ?? '');
    await redis.start();
    const folder = join(bench.folder(), 'data');
    await bench.orch(['apiserver', '--data-dir', folder, '--secure-port', '0']).output(READY);
    for (let i = 0; i < 2; i++)
      managers.push(bench.orch(['controller-manager', '--data-dir', folder, '--redis-url', redis.url]));
    await Promise.all(managers.map((manager) => manager.output(READY)));
    api = createApi(join(folder, 'admin.conf'));
  });

  afterAll(async () => {
    await api?.close();
    await bench.close();
    await redis?.close();
  });

  it('work together', async () => {
    await filledNamespace(api, 'together');
    await Promise.all(Array.from({ length: 20 }, (_, i) => approvedRequest(api, `together-${i}`)));
    for (let i = 0; i < 20; i++) await eventually(certificateOf(api, `together-${i}`)).toBeTypeOf('string');
  });

  it('go on when one is killed in the middle of its work', async () => {
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

  it('go on without a restart after Redis has lost everything', async () => {
    await redis?.kill();
    await redis?.start();
    await filledNamespace(api, 'after-redis');
  });

  it('end within 5 s while Redis is down', async () => {
    await redis?.kill();
    const end = await managers[1]?.end('SIGTERM', 10_000);
    expect(end).toMatchObject({ code: 0 });
    expect(end?.tookMs).toBeLessThan(5_000);
  });
});
