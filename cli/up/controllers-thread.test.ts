import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { superviseThread } from './controllers-thread.ts';

const running = (code: string) => superviseThread(new Worker(code, { eval: true }));

it('superviseThread reports the error that killed the thread', async () => {
  expect(await running('throw new TypeError("struck")').failed).toMatchObject({
    name: 'TypeError',
    message: 'struck',
    stack: expect.stringContaining('struck'),
  });
  expect(await running('setImmediate(() => Promise.reject(new Error("nobody waits")))').failed).toMatchObject(
    { message: 'nobody waits' },
  );
});

it('superviseThread treats a thread that ends by itself as failed', async () => {
  expect((await running('process.exit(3)').failed).message).toBe(
    'the thread of the controllers exited with code 3',
  );
  expect((await running('').failed).message).toBe('the thread of the controllers exited with code 0');
});

it('superviseThread does not treat a terminated thread as failed', async () => {
  const thread = running('setInterval(() => {}, 1_000)');
  await thread.end();
  const failure = await Promise.race([thread.failed, new Promise((resolve) => setImmediate(resolve))]);
  expect(failure).toBeUndefined();
});
