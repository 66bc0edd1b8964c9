import type { Kind } from '../../api/kinds/kind.ts';
import { defineKind } from '../../api/kinds/kind.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { struct } from '../../api/schema/schema.ts';
import type { ObjectMeta } from '../../api/types/meta-v1.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import type { HttpHandler, HttpRequest, HttpResponse } from '../../base/http/message.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createInMemoryTransport } from './in-memory-transport.ts';
import { type ClientSettings, createClient } from './rest-client.ts';

export interface Widget {
  kind?: string;
  apiVersion?: string;
  metadata?: ObjectMeta;
  size?: number;
}

export const widgets: Kind<Widget> = defineKind<Widget>({
  group: 'certificates',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
  schema: struct('test.Widget', {}),
});
export const boxes: Kind<Widget> = { ...widgets, group: '', kind: 'Box', plural: 'boxes', namespaced: false };
export const scheme = createScheme(orchVocabulary, []);

export interface Seen {
  method: string;
  url: string;
  headers: HttpRequest['headers'];
  body: string;
}

/** Creates a client of a server that returns the given responses in order and repeats the last response. */
export function setUp(
  answers: readonly (HttpResponse | HttpHandler | Error)[],
  settings: Partial<ClientSettings> = {},
) {
  const clock = createSimulatedClock();
  const seen: Seen[] = [];
  const handler: HttpHandler = async (request) => {
    const body = new TextDecoder().decode(await request.body(1e6));
    const answer = answers[Math.min(seen.length, answers.length - 1)];
    seen.push({ method: request.method, url: request.url, headers: request.headers, body });
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error('no answer');
    return typeof answer === 'function' ? answer(request) : answer;
  };
  const transport = createInMemoryTransport({ handler });
  const client = createClient({
    scheme,
    transport,
    clock,
    log: silentLogger,
    userAgent: 'test/1',
    ...settings,
  });
  return { client, clock, seen };
}

export const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
export const json = (status: number, body: unknown, headers: Record<string, string> = {}): HttpResponse => ({
  status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: encode(JSON.stringify(body)),
});
export const lines = (...events: readonly unknown[]): HttpResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: (sink) => {
    for (const event of events) sink.write(encode(`${JSON.stringify(event)}\n`));
    sink.end();
  },
});
export const widget = (name: string, resourceVersion = '1'): Widget => ({
  metadata: { name, namespace: 'default', resourceVersion },
});
export const list = (names: readonly string[], resourceVersion: string, next?: string): HttpResponse =>
  json(200, {
    kind: 'WidgetList',
    metadata: { resourceVersion, ...(next === undefined ? {} : { continue: next }) },
    items: names.map((name) => widget(name)),
  });
export const status = (code: number, reason: string): unknown => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  reason,
  message: `${reason} happened`,
  code,
});
export const never: HttpHandler = () => new Promise(() => {});
export const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};
