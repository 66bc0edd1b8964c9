import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { configMaps, namespaces, secrets } from '../../../api/groups/index.ts';
import { type AnyKind, createScheme } from '../../../api/kinds/scheme.ts';
import { orchVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { type EtcdServer, createEtcdServer } from '../../../test/etcd-server.ts';
import { environment, until } from '../../../test/real-time.ts';
import { service } from '../../../test/services.ts';
import { createInMemoryCaller } from '../../http/in-memory.ts';
import { createApiServer } from '../../server.ts';
import type { HistoryLimits } from '../mvcc.ts';
import { checkObject, stampResourceVersion } from '../stamp.ts';
import { createChannel } from './channel.ts';
import { createEtcdClient } from './client.ts';
import { toEntryBytes } from './entry.ts';
import { openEtcdStorage } from './etcd.ts';

const etcd = service('etcd', 'storage in etcd');
const KINDS = [configMaps, namespaces, secrets] as unknown as readonly AnyKind[];
const MAPS = '/api/v1/namespaces/a/configmaps';
const SECRETS = '/api/v1/namespaces/a/secrets';
const KEY = '/registry/core/configmaps/a/broken';

const good = '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"broken","namespace":"a"}}';
const values: readonly [string, Buffer][] = [
  ['not JSON', Buffer.from(`${good.slice(0, -1)},"data":{]}`)],
  ['JSON with bytes after it', Buffer.from(`${good}}`)],
  ['truncated JSON', Buffer.from(good.slice(0, -1))],
  ['a list', Buffer.from('[]')],
  ['a string', Buffer.from('"metadata"')],
  ['empty', Buffer.alloc(0)],
  ['an object that begins with something else', Buffer.from(`{"spec":{"metadata":{}},${good.slice(1)}`)],
  ['not UTF-8', Buffer.from(good.replace('broken', 'brök'), 'latin1')],
];

describe.skipIf(etcd.missing)('a value in etcd that no API server has written', () => {
  let server: EtcdServer;
  let prefixes = 0;
  beforeAll(async () => {
    server = await createEtcdServer(etcd.path ?? '');
    await server.start();
  });
  afterAll(() => server.close());

  /** Returns a function that writes or deletes the key directly in etcd, bypassing all servers. */
  const past = (prefix: string) => {
    const channel = createChannel({ ...environment, endpoints: [server.url], tls: {} });
    onTestFinished(() => channel.close());
    const client = createEtcdClient(channel);
    return (value: Buffer | undefined) =>
      client.txn({ conditions: [], operations: [{ key: `${prefix}${KEY}`, value }] });
  };
  const start = async (prefix: string, limits: HistoryLimits = {}) => {
    const storage = await openEtcdStorage({
      ...environment,
      ...limits,
      endpoints: [server.url],
      prefix,
      stamp: stampResourceVersion,
      check: checkObject,
    });
    const api = createApiServer({
      scheme: createScheme(orchVocabulary, KINDS),
      environment,
      storage,
      authenticators: [{ name: 'all', authenticate: async () => ({ user: { username: 'x', groups: [] } }) }],
      authorizer: { name: 'all', authorize: async () => ({ verdict: 'allow', reason: '' }) },
    });
    await api.start();
    onTestFinished(async () => {
      await api.stop();
      await storage.close();
    });
    const caller = createInMemoryCaller(api.handler);
    const send = async (method: string, path: string, body?: object) => {
      const response = await caller.request(method, path, body && { body });
      return { status: response.status, body: JSON.parse(await response.text()) as Record<string, unknown> };
    };
    return { send };
  };
  const filled = async () => {
    const prefix = `/broken-${prefixes++}`;
    const { send } = await start(prefix);
    await send('POST', '/api/v1/namespaces', { metadata: { name: 'a' } });
    await send('POST', MAPS, { metadata: { name: 'whole' } });
    await send('POST', SECRETS, { metadata: { name: 'whole' } });
    return { prefix, send, write: past(prefix) };
  };
  const namesKey = { status: 500, body: { kind: 'Status', message: expect.stringContaining(KEY) as string } };
  type Send = Awaited<ReturnType<typeof start>>['send'];
  const expectBroken = async (send: Send): Promise<void> => {
    await until(async () => (await send('GET', `${MAPS}/broken`)).status === 500, 3_000);
    for (const path of [MAPS, '/api/v1/configmaps', `${MAPS}?limit=1`, `${MAPS}/broken`])
      expect(await send('GET', path)).toMatchObject(namesKey);
    expect(await send('POST', MAPS, { metadata: { name: 'broken' } })).toMatchObject(namesKey);
    expect(await send('GET', `${MAPS}/whole`)).toMatchObject({ status: 200 });
    expect(await send('GET', SECRETS)).toMatchObject({ status: 200, body: { kind: 'SecretList' } });
    expect((await send('POST', SECRETS, { metadata: { generateName: 's-' } })).status).toBe(201);
  };
  const expectNames = (send: Send, names: readonly string[]): Promise<void> =>
    until(async () => {
      const { body } = await send('GET', MAPS);
      const items = (body['items'] ?? []) as { metadata: { name: string } }[];
      return JSON.stringify(items.map(({ metadata }) => metadata.name)) === JSON.stringify(names);
    }, 10_000);

  it.each(values)(
    'fails the requests that include the value, with 500 and its key, if it is %s',
    async (_, value) => {
      const { send, write } = await filled();
      await write(toEntryBytes(value, undefined));
      await expectBroken(send);
    },
  );

  it('fails the same requests if it has another format', async () => {
    const { send, write } = await filled();
    await write(Buffer.from(good));
    await expectBroken(send);
  });

  it('does not prevent a server from starting', async () => {
    const { prefix, write, send: sendBefore } = await filled();
    await write(toEntryBytes(Buffer.from('{"'), undefined));
    for (let i = 0; i < 3; i += 1) await sendBefore('POST', MAPS, { metadata: { generateName: 's-' } });
    await expectBroken((await start(prefix)).send);
    // The valid state before the broken value is not in this server's history.
    const { send } = await start(prefix, { historyLimit: 1 });
    expect(await send('GET', `${MAPS}?resourceVersion=0`)).toMatchObject(namesKey);
    await expectBroken(send);
    await write(undefined);
    await until(async () => (await send('GET', MAPS)).status === 200, 10_000);
  });

  it('hides the object it replaces, without reporting a deletion', async () => {
    const { send, write } = await filled();
    await send('POST', MAPS, { metadata: { name: 'broken' } });
    await write(toEntryBytes(Buffer.from('{"'), undefined));
    await expectBroken(send);
    await write(toEntryBytes(Buffer.from(good), undefined));
    await expectNames(send, ['broken', 'whole']);
  });
});
