import { describe, expect, it } from 'vitest';
import { jobs } from '../../api/groups/batch-v1.ts';
import { pods } from '../../api/groups/core-v1.ts';
import type { HttpHandler } from '../../base/http/message.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { createInMemoryTransport, runControllers } from '../../runtime/index.ts';
import { jobController } from './job.ts';
import { SECOND, startJobs } from './job.fixture.ts';

/**
 * Wraps a handler so that it behaves like a server before release 1.22, which drops the unknown field
 * `uncountedTerminatedPods` from a status.
 */
const forgettingUids =
  (handler: HttpHandler): HttpHandler =>
  async (request) => {
    if (request.method !== 'PUT' || !/\/jobs\/[^/]+\/status/.test(request.url)) return handler(request);
    const sent = JSON.parse(new TextDecoder().decode(await request.body(1e6))) as { status?: object };
    const status = { ...sent.status, uncountedTerminatedPods: undefined };
    const body = new TextEncoder().encode(JSON.stringify({ ...sent, status }));
    return handler({ ...request, body: () => Promise.resolve(body) });
  };

async function start() {
  const world = await startJobs({ controllers: ['serviceaccount'] });
  const transport = createInMemoryTransport({
    handler: forgettingUids(world.server.handler),
    peer: world.peerOf('admin', 'system:masters'),
  });
  return {
    ...world,
    /** Returns the counts in the status, the tracking annotation and the finalizers of all pods. */
    async seen() {
      const finalizers = (await world.listPods()).flatMap(({ metadata }) => metadata?.finalizers ?? []);
      const { annotations = {} } = (await world.get()).metadata ?? {};
      const { active, succeeded, failed } = await world.statusOf();
      return { active, succeeded, failed, marked: world.tracking in annotations, finalizers };
    },
    async run() {
      await runControllers({
        controllers: [jobController],
        server: { transport },
        vocabulary: world.vocabulary,
        environment: { clock: world.clock, random: createSeededRandom(1), log: silentLogger },
      });
      await world.settle();
    },
  };
}

const plain = { marked: false, finalizers: [] };

describe('jobController with a server that drops uncountedTerminatedPods', () => {
  it('counts existing pods without finalizers and writes nothing without changes', async () => {
    const { run, create, finish, seen, settle, condition, client } = await start();
    await run();
    await create({ completions: 3, parallelism: 2 });
    await finish(1, 'Succeeded');
    expect(await seen()).toEqual({ active: 2, succeeded: 1, failed: 0, ...plain });
    await finish(1, 'Failed');
    expect(await seen()).toEqual({ active: 2, succeeded: 1, failed: 1, ...plain });
    const versions = async () =>
      [...(await client.all(jobs).list()).items, ...(await client.all(pods).list()).items].map(
        ({ metadata }) => metadata?.resourceVersion,
      );
    const before = await versions();
    await settle(120 * SECOND);
    expect(await versions()).toEqual(before);
    await finish(2, 'Succeeded');
    expect(await condition('Complete')).toMatchObject({ status: 'True' });
    expect(await seen()).toEqual({ active: 0, succeeded: 3, failed: 1, ...plain });
  });

  it('deletes surplus pods and releases pods that no longer match, without finalizers', async () => {
    const { run, create, change, ran, seen, active, settle, own } = await start();
    await run();
    await create({ completions: 4, parallelism: 3 });
    await change({ parallelism: 1 });
    expect(await seen()).toEqual({ active: 1, succeeded: 0, failed: 0, ...plain });
    const [stray] = await active();
    const name = stray?.metadata?.name ?? '';
    await ran.patch(name, 'merge', { metadata: { labels: null } });
    await settle(5 * SECOND);
    expect((await ran.get(name)).metadata).not.toHaveProperty('ownerReferences');
    expect((await ran.get(name)).metadata).not.toHaveProperty('finalizers');
    await own.delete('work', { propagationPolicy: 'Background' });
  });

  it('takes over the pods of another controller without tracking them', async () => {
    const { run, own, ran, seen, finish, settle, move } = await start();
    const spec = { restartPolicy: 'Never' as const, containers: [{ name: 'c', image: 'i' }] };
    const job = await own.create({
      metadata: { name: 'work' },
      spec: { completions: 4, parallelism: 2, template: { spec } },
    });
    const labels = job.spec?.selector?.matchLabels ?? {};
    for (const name of ['done', 'running']) await ran.create({ metadata: { name, labels }, spec });
    await move(await ran.get('done'), 'Succeeded');
    await run();
    await settle(5 * SECOND);
    expect(await seen()).toEqual({ active: 2, succeeded: 1, failed: 0, ...plain });
    expect((await ran.get('running')).metadata?.ownerReferences).toMatchObject([{ name: 'work' }]);
    await finish(1, 'Succeeded');
    expect(await seen()).toEqual({ active: 2, succeeded: 2, failed: 0, ...plain });
  });

  it('records the failure of a Job before it deletes running pods, and replaces none of them', async () => {
    const { run, create, active, listPods, move, settle, condition, watchPods } = await start();
    const created = watchPods();
    await run();
    await create({ parallelism: 2, completions: 2, backoffLimit: 2 }, 'OnFailure');
    const [first] = await active();
    await move(first ?? {}, 'Running', 3);
    await settle(10 * SECOND);
    expect(await condition('Failed')).toMatchObject({ reason: 'BackoffLimitExceeded' });
    expect(await listPods()).toEqual([]);
    expect(created).toHaveLength(2);
  });

  it('tracks pods once the server stores the field', async () => {
    const { run, create, startManager, settle, listPods, statusOf, tracking, finish } = await start();
    await run();
    await create({ completions: 2, parallelism: 1 });
    await finish(1);
    await startManager({ controllers: ['job'] });
    await settle(5 * SECOND);
    await finish(1);
    await settle(5 * SECOND);
    expect(await statusOf()).toMatchObject({ succeeded: 2, conditions: [{ type: 'Complete' }] });
    expect((await listPods()).some(({ metadata }) => metadata?.finalizers?.includes(tracking))).toBe(false);
  });
});
