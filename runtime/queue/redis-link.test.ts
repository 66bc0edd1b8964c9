import { describe, expect, it, onTestFinished } from 'vitest';
import { environment } from '../../test/real-time.ts';
import { createRedisServer } from '../../test/redis-server.ts';
import { service } from '../../test/services.ts';
import { createRedisLink } from './redis-link.ts';
import { parseRedisUrl } from './redis-url.ts';

const redis = service('redis-server', 'the connection to redis');

describe.skipIf(redis.missing)('createRedisLink', () => {
  it("serves any number of waiting queues and warns once about the server's settings", async () => {
    const server = await createRedisServer(redis.path ?? '', { durable: false });
    onTestFinished(() => server.close());
    const warned: string[] = [];
    const log = { ...environment.log, warn: (_: object, message: string) => void warned.push(message) };
    const complaints: Error[] = [];
    const complain = (warning: Error): void => void complaints.push(warning);
    process.on('warning', complain);
    onTestFinished(() => void process.off('warning', complain));
    const link = await createRedisLink({ ...environment, log }, parseRedisUrl(server.url));
    onTestFinished(() => link.close());
    const waiting = Array.from({ length: 20 }, () => link.ready(new AbortController().signal));
    await server.start();
    await Promise.all(waiting);
    expect(warned.filter((message) => message.includes('append-only'))).toHaveLength(1);
    expect(complaints).toEqual([]);
  });
});
