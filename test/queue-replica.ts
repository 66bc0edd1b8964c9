import { createSystemClock } from '../base/clock/system.ts';
import { silentLogger } from '../base/log/logger.ts';
import { createSystemRandom } from '../base/random/system.ts';
import { createBullmqQueues } from '../runtime/queue/bullmq-queue.ts';

/** A process that takes keys and never ends a pass, for tests that kill it. Argument: the address of Redis. */
const [redisUrl = ''] = process.argv.slice(-1);
const environment = { clock: createSystemClock(), random: createSystemRandom(), log: silentLogger };
const queues = await createBullmqQueues({ ...environment, redisUrl });
const queue = queues.create('test');
await queue.run((key) => {
  process.stdout.write(`${key}\n`);
  return new Promise(() => {});
});
