import { appendFileSync } from 'node:fs';
import { createSystemClock } from '../base/clock/system.ts';
import { silentLogger } from '../base/log/logger.ts';
import { createSystemRandom } from '../base/random/system.ts';
import { createBullmqQueues } from '../runtime/queue/bullmq-queue.ts';

/**
 * A process that takes keys, for tests that run several processes and kill some. Its arguments are the
 * address of Redis, the number of concurrent keys, the duration of a reconcile in milliseconds (or
 * `forever`), and the path of a log file. The start and end of each reconcile are appended to that file.
 */
const [redisUrl = '', concurrency = '1', reconcileMs = 'forever', file = ''] = process.argv.slice(-4);
const clock = createSystemClock();
const environment = { clock, random: createSystemRandom(), log: silentLogger };
const queues = await createBullmqQueues({ ...environment, redisUrl });
const queue = queues.create('test', { concurrency: Number(concurrency) });
/** All processes of the machine share this clock, and appending a line is atomic. */
const note = (what: string, key: string): void => {
  const line = `${process.hrtime.bigint()} ${process.pid} ${what} ${key}\n`;
  if (file === '') process.stdout.write(line);
  else appendFileSync(file, line);
};
await queue.run(async (key, { signal, check }) => {
  note('begin', key);
  await new Promise<void>((resolve) => {
    if (reconcileMs !== 'forever') clock.setTimeout(resolve, Number(reconcileMs));
    signal.addEventListener('abort', () => resolve());
  });
  try {
    check();
    note('effect', key);
  } catch {
    note('fenced', key);
    queue.addRateLimited(key);
  }
});
process.stdout.write('ready\n');
