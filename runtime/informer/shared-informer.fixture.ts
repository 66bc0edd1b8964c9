import { type ApiObject, type DeepReadonly, defineKind } from '../../api/kinds/kind.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { struct } from '../../api/schema/schema.ts';
import { expired, notFound } from '../../api/status/api-error.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import type { BodySink, HttpHandler, HttpResponse } from '../../base/http/message.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { ClientError } from '../client/client-error.ts';
import { createInMemoryTransport } from '../client/in-memory-transport.ts';
import { createClient } from '../client/rest-client.ts';
import type { Transport } from '../client/transport.ts';
import type { InformerHandler } from './informer.ts';
import { createInformers } from './informers.ts';
import type { InformerMetrics } from './informer-contract.ts';

export const widgets = defineKind<ApiObject>({
  group: '',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
  schema: struct('test.Widget', {}),
});

export interface WatchEvent {
  readonly type: string;
  readonly object: object;
}

export const encode = (value: unknown): Uint8Array => new TextEncoder().encode(`${JSON.stringify(value)}\n`);
export const answer = (status: number, body: unknown): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: encode(body),
});

/** Creates a server of one collection with a history. Functions of the result break its watches. */
export function createTestServer() {
  let revision = 1;
  let compacted = 0;
  const objects = new Map<string, ApiObject>();
  const history: { revision: number; event: WatchEvent }[] = [];
  const sinks = new Set<BodySink>();
  const requests: string[] = [];
  const stalled = new Set<BodySink>();
  const state = { down: false, unreachable: false, uid: 0, served: true };

  const publish = (event: WatchEvent): void => {
    history.push({ revision, event });
    for (const sink of sinks) sink.write(encode(event));
  };
  const put = (name: string): void => {
    const known = objects.get(name);
    revision++;
    const uid = known?.metadata?.uid ?? `uid-${++state.uid}`;
    const metadata = { name, namespace: 'default', uid, resourceVersion: String(revision) };
    const object = { kind: 'Widget', apiVersion: 'v1', metadata: { ...metadata, managedFields: [] } };
    objects.set(name, object);
    publish({ type: known ? 'MODIFIED' : 'ADDED', object });
  };
  const remove = (name: string): void => {
    const known = objects.get(name);
    if (known === undefined) return;
    revision++;
    objects.delete(name);
    publish({
      type: 'DELETED',
      object: { ...known, metadata: { ...known.metadata, resourceVersion: String(revision) } },
    });
  };
  const watch = (from: number): HttpResponse => {
    if (from < compacted) return answer(410, expired('too old resource version').status);
    return {
      status: 200,
      headers: {},
      body: (sink) => {
        for (const { revision: at, event } of history) if (at > from) sink.write(encode(event));
        sinks.add(sink);
        sink.onClose(() => {
          sinks.delete(sink);
          stalled.delete(sink);
        });
      },
    };
  };
  const handler: HttpHandler = (request) => {
    requests.push(request.url);
    if (state.down) return Promise.reject(new Error('connection refused'));
    if (!state.served)
      return Promise.resolve(answer(404, notFound({ group: '', resource: 'widgets' }, 'x').status));
    const query = new URL(request.url, 'http://x').searchParams;
    if (query.has('watch')) return Promise.resolve(watch(Number(query.get('resourceVersion'))));
    return Promise.resolve(
      answer(200, { metadata: { resourceVersion: String(revision) }, items: [...objects.values()] }),
    );
  };
  const cut = (): void => {
    for (const sink of [...sinks, ...stalled]) sink.end();
    sinks.clear();
    stalled.clear();
  };
  return {
    handler,
    state,
    requests,
    put,
    remove,
    cut,
    /** Makes current watches stay open without events, like half-open connections. */
    stall: () => {
      for (const sink of sinks) stalled.add(sink);
      sinks.clear();
    },
    /** Ends all watches in the middle of an event. */
    tear: () => {
      for (const sink of sinks) sink.write(new TextEncoder().encode('{"type":"ADDED","obj'));
      cut();
    },
    compact: () => void (compacted = revision),
    /** Sends the last event again. */
    repeat: () => {
      const last = history.at(-1);
      if (last !== undefined) for (const sink of sinks) sink.write(encode(last.event));
    },
    bookmark: () => {
      const object = { kind: 'Widget', apiVersion: 'v1', metadata: { resourceVersion: String(revision) } };
      for (const sink of sinks) sink.write(encode({ type: 'BOOKMARK', object }));
    },
    watches: () => sinks.size + stalled.size,
    objects: () => [...objects.values()].map(stateOf).sort(),
  };
}

export const stateOf = (object: DeepReadonly<ApiObject>): string =>
  `${object.metadata?.name} ${object.metadata?.uid} ${object.metadata?.resourceVersion}`;

export const versionOf = (object: DeepReadonly<ApiObject> | undefined): number =>
  Number(object?.metadata?.resourceVersion ?? 0);

export function setUp(metrics?: InformerMetrics) {
  const server = createTestServer();
  const clock = createSimulatedClock();
  const inner = createInMemoryTransport({ handler: server.handler });
  let unreached = 0;
  const transport: Transport = {
    ...inner,
    send: (request) =>
      server.state.unreachable && ++unreached > 0
        ? Promise.reject(new ClientError('ERR_UNREACHABLE', 'no connection'))
        : inner.send(request),
  };
  const client = createClient({
    scheme: createScheme(orchVocabulary, []),
    transport,
    clock,
    log: silentLogger,
    userAgent: 'test',
  });
  const informers = createInformers({
    client,
    clock,
    random: createSeededRandom(1),
    log: silentLogger,
    ...(metrics === undefined ? {} : { metrics }),
  });
  const informer = informers.of(widgets);
  const observed: string[] = [];
  const handler: InformerHandler<ApiObject> = {
    onApply: (object, previous) =>
      void observed.push(`${previous === undefined ? 'new' : 'changed'} ${stateOf(object)}`),
    onDelete: (object) => void observed.push(`deleted ${stateOf(object)}`),
  };
  return { server, clock, client, informers, informer, observed, handler, unreached: () => unreached };
}
