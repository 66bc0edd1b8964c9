import { describe, expect, it } from 'vitest';
import { parseRedisUrl } from './redis-url.ts';

describe('parseRedisUrl', () => {
  it('parses one server with TLS, credentials and database', () => {
    expect(parseRedisUrl('redis://localhost')).toEqual({
      form: 'single',
      hosts: [{ host: 'localhost', port: 6379 }],
      tls: false,
      db: 0,
    });
    expect(parseRedisUrl('rediss://me:p%40ss@[::1]:7000/3')).toEqual({
      form: 'single',
      hosts: [{ host: '::1', port: 7000 }],
      tls: true,
      db: 3,
      username: 'me',
      password: 'p@ss',
    });
  });

  it('parses the sentinels of a server, and the nodes of a cluster', () => {
    expect(parseRedisUrl('redis+sentinel://a,b:1/main/2')).toMatchObject({
      form: 'sentinel',
      hosts: [
        { host: 'a', port: 26379 },
        { host: 'b', port: 1 },
      ],
      name: 'main',
      db: 2,
    });
    expect(
      parseRedisUrl('redis+sentinel://u:p@a/main?sentinelUsername=me&sentinelPassword=p%26=%3D'),
    ).toMatchObject({ username: 'u', password: 'p', sentinelUsername: 'me', sentinelPassword: 'p&==' });
    expect(parseRedisUrl('rediss+cluster://a:1,b:2')).toMatchObject({ form: 'cluster', tls: true });
  });

  it.each([
    '',
    'localhost:6379',
    'http://a',
    'redis://a:0',
    'redis://a:99999',
    'redis://a/x',
    'redis://a,b',
    'redis+sentinel://a',
    'redis://u:%zz@a',
    'redis://a?sentinelPassword=x',
    'redis+sentinel://a/main?password=x',
    'redis+sentinel://a/main?sentinelPassword=%zz',
  ])('rejects the URL %j', (url) => {
    expect(() => parseRedisUrl(url)).toThrow('invalid redis url');
  });
});
