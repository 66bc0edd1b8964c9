import { cronJobs, jobs } from '../../api/groups/batch-v1.ts';
import { inFolder } from '../rig/folder.ts';
import { forEachNumber, pause } from '../rig/objects.ts';
import { type System, startSystem } from '../rig/system.ts';
import { type Row, toFigure } from '../row.ts';

const MINUTE = 60_000;
/** Between the creation of the CronJobs and the minute they are due, so that it does not come while they are made. */
const AHEAD_MS = 30 * MINUTE;

async function createCronJobs({ client }: System, count: number, dueMs: number): Promise<void> {
  const due = new Date(dueMs);
  const schedule = `${due.getUTCMinutes()} ${due.getUTCHours()} * * *`;
  const pod = { containers: [{ name: 'main', image: 'busybox' }], restartPolicy: 'Never' as const };
  await forEachNumber(count, 32, (number) =>
    client.namespaced(cronJobs, 'default').create({
      metadata: { name: `cron-${number}` },
      spec: { schedule, timeZone: 'Etc/UTC', jobTemplate: { spec: { template: { spec: pod } } } },
    }),
  );
}

/** Seconds from the minute until the last Job is there. Throws when a CronJob has made two. */
async function fire(system: System, count: number, leadMs: number): Promise<number> {
  const { clock, server } = system;
  const dueMs = Math.ceil((clock.now() + AHEAD_MS) / MINUTE) * MINUTE;
  await createCronJobs(system, count, dueMs);
  const owners = new Map<string, number>();
  let finishedMs = 0;
  const all = new Promise<void>((resolve) => {
    server.registry.reader(jobs).subscribe((job, previous) => {
      if (job === undefined || previous !== undefined) return;
      const owner = job.metadata?.ownerReferences?.[0]?.name ?? '';
      owners.set(owner, (owners.get(owner) ?? 0) + 1);
      if (owners.size < count || finishedMs > 0) return;
      finishedMs = clock.now();
      resolve();
    });
  });
  // Before the controllers start: timers run on the other clock and would not notice.
  clock.forward(dueMs - leadMs - clock.now());
  await system.startControllers();
  await all;
  await pause(1_000);
  const twice = [...owners].filter(([, made]) => made > 1);
  if (twice.length > 0) throw new Error(`${twice.length} CronJobs have made more than one Job`);
  return (finishedMs - dueMs) / 1_000;
}

export const cronJobsRow: Row = {
  name: 'cronjobs',
  async measure(scale) {
    const [count, leadMs] = scale === 'full' ? [10_000, 15_000] : [300, 1_500];
    const seconds = await inFolder(async (folder) => {
      await using system = await startSystem(folder);
      return await fire(system, count, leadMs);
    });
    return [toFigure(`${count} CronJobs due at once`, 's', { ours: [seconds], ceiling: [] }, { atMost: 6 })];
  },
};
