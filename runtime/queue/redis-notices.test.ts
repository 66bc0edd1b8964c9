import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { environment } from '../../test/real-time.ts';
import { type RedisServer, createRedisServer } from '../../test/redis-server.ts';
import { service } from '../../test/services.ts';
import { createBullmqQueues } from './bullmq-queue.ts';
import type { NoticeBoard } from './work-queue.ts';

const redis = service('redis-server', 'notices over redis');

describe.skipIf(redis.missing)('createRedisNotices', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await createRedisServer(redis.path ?? '', { durable: false });
    await server.start();
  });
  afterAll(() => server.close());

  async function board(prefix: string): Promise<NoticeBoard> {
    const queues = await createBullmqQueues({ ...environment, redisUrl: server.url, prefix });
    onTestFinished(() => queues.close());
    if (queues.notices === undefined) expect.unreachable();
    return queues.notices;
  }
  const texts = async (on: NoticeBoard, author: string): Promise<readonly string[]> =>
    (await on.exchange(author, `of ${author}`)).map(({ text }) => text).sort();

  it('returns the newest notice of each author to all processes with the same prefix', async () => {
    const [first, second, stranger] = [await board('shared'), await board('shared'), await board('other')];
    await first.exchange('a', 'an older one');
    await first.exchange('a', 'of a');
    expect(await texts(second, 'b')).toEqual(['of a', 'of b']);
    expect(await texts(first, 'a')).toEqual(['of a', 'of b']);
    expect(await texts(stranger, 'c')).toEqual(['of c']);
  });

  it('returns the age of each notice and no notice that its author removed', async () => {
    const on = await board('aging');
    await on.exchange('a', 'of a');
    const seen = await on.exchange('b', 'of b');
    expect(seen.find(({ author }) => author === 'a')?.ageMs).toBeGreaterThanOrEqual(0);
    await on.remove('a');
    expect(await texts(on, 'b')).toEqual(['of b']);
  });

  it('returns no notice that its author did not renew in time', async () => {
    const on = await board('left');
    await on.exchange('a', 'of a');
    await server.command('ZADD', '{left:replicas}:heard', '1', 'a');
    expect(await texts(on, 'b')).toEqual(['of b']);
    expect(await server.command('HEXISTS', '{left:replicas}:texts', 'a')).toContain(':0');
  });
});
