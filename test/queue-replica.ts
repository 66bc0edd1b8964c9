import { appendFileSync } from 'node:fs';
import { createSystemClock } from '../base/clock/system.ts';
import { silentLogger } from '../base/log/logger.ts';
import { createSystemRandom } from '../base/random/system.ts';
import { createBullmqQueues } from '../runtime/queue/bullmq-queue.ts';

/**
 * A process that takes keys, for tests that run several of them and kill some. Arguments: the address of Redis, keys at a
 * time, milliseconds of a pass (`forever` for one that never ends), and a file that both ends of every pass are appended to.
 */
const [redisUrl = '', concurrency = '1', passMs = 'forever', file = ''] = process.argv.slice(-4);
const clock = createSystemClock();
const environment = { clock, random: createSystemRandom(), log: silentLogger };
const queues = await createBullmqQueues({ ...environment, redisUrl });
const queue = queues.create('test', { concurrency: Number(concurrency) });
/** One clock for all processes of the machine; appends of one line are not torn. */
const note = (what: string, key: string): void => {
  const line = `${process.hrtime.bigint()} ${process.pid} ${what} ${key}\n`;
  if (file === '') process.stdout.write(line);
  else appendFileSync(file, line);
};
await queue.run(async (key, { signal, check }) => {
  note('begin', key);
  await new Promise<void>((resolve) => {
    if (passMs !== 'forever') clock.setTimeout(resolve, Number(passMs));
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
