import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Api, at, createApi, nameOf } from './api.ts';
import { createWorkbench } from './process.ts';

const bench = createWorkbench();
afterAll(() => bench.close());

const COLLECTION = '/api/v1/namespaces/default/configmaps';
const READY = /^ready https/m;
const UPDATED = 1_000;
const CREATED = 1_000;
/** Number of responses after which the server is killed. Most writes are still in flight then. */
const ENOUGH = 600;

/**
 * Returns an object that contains one value in many fields, so that a partly written object is detectable.
 */
const body = (name: string, value: string) => ({
  metadata: { name },
  data: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`part${i}`, `${name} ${value}`])),
});

/**
 * Sends all writes concurrently and kills the server after `ENOUGH` responses. Returns the names of the
 * acknowledged writes.
 */
async function writeUntilKilled(
  writes: readonly { name: string; send: () => Promise<{ status: number }> }[],
  kill: () => Promise<unknown>,
): Promise<ReadonlySet<string>> {
  const acknowledged = new Set<string>();
  let killing: Promise<unknown> | undefined;
  await Promise.all(
    writes.map(async ({ name, send }) => {
      const status = await send().then(
        (reply) => reply.status,
        () => 0,
      );
      if (status === 200 || status === 201) acknowledged.add(name);
      else expect([name, status]).toEqual([name, 0]);
      if (acknowledged.size >= ENOUGH) killing ??= kill();
    }),
  );
  await killing;
  return acknowledged;
}

async function valuesOf(api: Api): Promise<ReadonlyMap<string, string>> {
  const objects = (await api.items(COLLECTION)).filter((object) => /^[uc]\d/.test(nameOf(object)));
  return new Map(
    objects.map((object) => {
      const values = new Set(Object.values(at(object, 'data') as object).map(String));
      expect([nameOf(object), values.size]).toEqual([nameOf(object), 1]);
      return [nameOf(object), [...values].join()];
    }),
  );
}

describe('kill -9 during 2,000 concurrent writes', () => {
  it('loses no acknowledged write, and leaves no partial write', async () => {
    const folder = join(bench.folder(), 'data');
    const start = () =>
      bench.orch([
        'apiserver',
        '--data-dir',
        folder,
        '--secure-port',
        '0',
        '--authorization-mode',
        'AlwaysAllow',
      ]);
    const first = start();
    await first.output(READY);
    const api = createApi(join(folder, 'admin.conf'));
    onTestFinished(() => api.close());
    const updates = Array.from({ length: UPDATED }, (_, i) => `u${i}`);
    const creates = Array.from({ length: CREATED }, (_, i) => `c${i}`);
    await Promise.all(updates.map((name) => api.call('POST', COLLECTION, { body: body(name, 'before') })));

    const acknowledged = await writeUntilKilled(
      updates.flatMap((name, i) => [
        {
          name,
          send: () => api.call('PUT', `${COLLECTION}/${name}`, { body: body(name, 'after') }),
        },
        {
          name: `c${i}`,
          send: () => api.call('POST', COLLECTION, { body: body(`c${i}`, 'after') }),
        },
      ]),
      () => first.end('SIGKILL'),
    );
    expect(acknowledged.size).toBeGreaterThanOrEqual(ENOUGH);
    expect(acknowledged.size).toBeLessThan(UPDATED + CREATED);

    const second = start();
    await second.output(READY);
    const again = createApi(join(folder, 'admin.conf'));
    onTestFinished(() => again.close());
    const values = await valuesOf(again);
    for (const name of acknowledged) expect([name, values.get(name)]).toEqual([name, `${name} after`]);
    for (const name of updates) expect([`${name} before`, `${name} after`]).toContain(values.get(name));
    for (const name of creates) expect([undefined, `${name} after`]).toContain(values.get(name));
    const fresh = await again.call('POST', COLLECTION, { body: body('later', 'x') });
    expect(fresh.status).toBe(201);
    await second.end('SIGTERM');
  }, 180_000);
});
