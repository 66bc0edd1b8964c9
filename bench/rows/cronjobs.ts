import { get } from 'node:https';
import { cronJobs, jobs } from '../../api/groups/batch-v1.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { CronJob, Job } from '../../api/types/batch-v1.ts';
import { type Daemon, startDaemon } from '../rig/daemon.ts';
import { inFolder } from '../rig/folder.ts';
import { forEachNumber, pause } from '../rig/objects.ts';
import { startSystem } from '../rig/system.ts';
import { type Row, type Scale, toFigure } from '../row.ts';

const MINUTE = 60_000;
/**
 * Time in milliseconds between the creation of the CronJobs and their due minute, if the clock is moved
 * forward to that minute.
 */
const AHEAD_MS = 30 * MINUTE;
const COLLECTION = '/apis/batch/v1/namespaces/default';

interface Size {
  readonly count: number;
  /** Time in milliseconds for the controllers to observe all CronJobs before the due minute. */
  readonly leadMs: number;
  /** Time in milliseconds to create all CronJobs and for the controllers to observe them. */
  readonly aheadMs: number;
}

const SIZES: Readonly<Record<Scale, Size>> = {
  quick: { count: 300, leadMs: 1_500, aheadMs: 8_000 },
  full: { count: 10_000, leadMs: 15_000, aheadMs: 45_000 },
};

const minuteAfter = (ms: number): number => Math.ceil(ms / MINUTE) * MINUTE;

function cronJob(number: number, dueMs: number): CronJob {
  const due = new Date(dueMs);
  const pod = { containers: [{ name: 'main', image: 'busybox' }], restartPolicy: 'Never' as const };
  return {
    metadata: { name: `cron-${number}` },
    spec: {
      // The schedule is in the time zone of the process, which applies if the feature CronJobTimeZone is off.
      schedule: `${due.getMinutes()} ${due.getHours()} * * *`,
      jobTemplate: { spec: { template: { spec: pod } } },
    },
  };
}

const ownerOf = (job: DeepReadonly<Job>): string => job.metadata?.ownerReferences?.[0]?.name ?? '';

/** Throws unless each CronJob has created exactly one Job. */
function expectOneEach(owners: readonly string[], count: number): void {
  if (owners.length !== count || new Set(owners).size !== count)
    throw new Error(`${new Set(owners).size} of ${count} CronJobs have made ${owners.length} Jobs`);
}

/**
 * Runs API server and controllers in one process. Returns the seconds from the due minute until the last Job
 * exists.
 */
async function fireTogether({ count, leadMs }: Size, folder: string): Promise<number> {
  await using system = await startSystem(folder);
  const { clock, server, client } = system;
  const dueMs = minuteAfter(clock.now() + AHEAD_MS);
  await forEachNumber(count, 32, (number) =>
    client.namespaced(cronJobs, 'default').create(cronJob(number, dueMs)),
  );
  let created = 0;
  const all = new Promise<number>((resolve) => {
    server.registry.reader(jobs).subscribe((job, previous) => {
      if (job !== undefined && previous === undefined && ++created === count) resolve(clock.now());
    });
  });
  // The controllers start after the jump of the clock, because their timers run on the monotonic clock and
  // would not react to the jump.
  clock.forward(dueMs - leadMs - clock.now());
  await system.startControllers();
  const lastMs = await all;
  await pause(1_000);
  const { items } = await client.namespaced(jobs, 'default').list();
  expectOneEach(items.map(ownerOf), count);
  return (lastMs - dueMs) / 1_000;
}

/**
 * Runs the programs as users do, at a minute of the real clock. Returns the seconds from that minute until a
 * watch has reported the last Job. With `up`, API server and controllers run in one process with a thread
 * each. With `apiserver`, the controllers are a second process.
 */
async function fireFor(
  command: 'up' | 'apiserver',
  { count, leadMs, aheadMs }: Size,
  folder: string,
): Promise<number> {
  await using server = await startDaemon(command, folder);
  const dueMs = minuteAfter(Date.now() + aheadMs);
  await forEachNumber(count, 32, (number) =>
    server.call({
      method: 'POST',
      path: `${COLLECTION}/cronjobs`,
      body: JSON.stringify(cronJob(number, dueMs)),
    }),
  );
  await using _manager =
    command === 'up' ? undefined : await startDaemon('controller-manager', folder, ['--healthz-port', '0']);
  if (Date.now() > dueMs - leadMs) throw new Error(`${count} CronJobs were not there before their minute`);
  const lastMs = await nthCreated(server, `${COLLECTION}/jobs`, count);
  await pause(1_000);
  const listed = await server.call({ method: 'GET', path: `${COLLECTION}/jobs` });
  const { items } = JSON.parse(listed.toString()) as { items: Job[] };
  expectOneEach(items.map(ownerOf), count);
  return (lastMs - dueMs) / 1_000;
}

/**
 * Returns the time at which a watch delivered the object with number `count`. Reads only the start of each
 * event, to leave the processor to the measured programs.
 */
function nthCreated({ place }: Daemon, collection: string, count: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let left = count;
    let rest: Buffer = Buffer.alloc(0);
    const asked = get(
      {
        ...place.tls,
        host: '127.0.0.1',
        port: place.port,
        path: `${collection}?watch=true&resourceVersion=0`,
      },
      (response) => {
        response.on('error', reject);
        response.on('data', (chunk: Buffer) => {
          rest = Buffer.concat([rest, chunk]);
          for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
            if (rest.toString('latin1', 0, ADDED.length) === ADDED) left--;
            rest = rest.subarray(end + 1);
          }
          if (left > 0) return;
          resolve(Date.now());
          asked.destroy();
        });
      },
    );
    asked.on('error', reject);
  });
}

const ADDED = '{"type":"ADDED"';

export const cronJobsRow: Row = {
  name: 'cronjobs',
  async measure(scale) {
    const size = SIZES[scale];
    const figure = (name: string, seconds: number) =>
      toFigure(
        `${size.count} CronJobs due at once${name}`,
        's',
        { ours: [seconds], ceiling: [] },
        { atMost: 6 },
      );
    return [
      figure(', two daemons', await inFolder((folder) => fireFor('apiserver', size, folder))),
      figure(', one with both', await inFolder((folder) => fireFor('up', size, folder))),
      figure(', one thread', await inFolder((folder) => fireTogether(size, folder))),
    ];
  },
};
