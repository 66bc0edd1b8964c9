import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger } from '../../base/log/index.ts';
import { createMetrics } from '../../base/metrics/index.ts';
import { createUndiciOutbound } from '../client/undici-outbound.ts';
import { createJournal } from '../journal/memory-journal.ts';
import type { ExportTraceServiceRequest, Span } from './otlp.ts';
import { createSpanIds } from './trace-context.ts';
import { type TraceExporterOptions, createTraceExporter } from './trace-exporter.ts';

const START = Date.UTC(2026, 0, 1);

/** A collector on loopback, which answers with the given statuses, then with 200. */
async function collector(statuses: readonly number[] = []) {
  const received: { readonly body: string; readonly request: IncomingMessage }[] = [];
  const left = [...statuses];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ body: Buffer.concat(chunks).toString(), request });
      response.writeHead(left.shift() ?? 200, { 'content-type': 'application/json' });
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`);
  return { url, received };
}

function exporting(url: URL, more: Partial<TraceExporterOptions> = {}) {
  const clock = createSimulatedClock(START);
  const journal = createJournal({ clock });
  const metrics = createMetrics();
  const ids = createSpanIds('seed');
  const exporter = createTraceExporter({
    journal,
    clock,
    log: silentLogger,
    metrics,
    outbound: createUndiciOutbound(),
    url,
    service: { name: 'manager', version: '1.2.3', instance: 'a' },
    ids,
    ...more,
  });
  const reconcile = (reconcileId: string, key = 'team/a', error?: string): void => {
    const of = { controller: 'job', key, reconcileId };
    const cause = { type: 'ADDED', resource: 'jobs.batch', object: key, resourceVersion: '7' } as const;
    journal.record({ kind: 'enqueued', controller: 'job', key, cause });
    journal.record({ kind: 'reconcile.started', ...of, retries: 2 });
    journal.record({ kind: 'state', ...of, state: 'observing', event: 'xstate.init' });
    journal.record({ kind: 'effect.started', ...of, state: 'observe' });
    const request = { verb: 'create', resource: 'pods', object: 'team/a-x', code: '409' };
    journal.record({ kind: 'request', ...of, state: 'observe', ms: 2.5, request });
    journal.record({ kind: 'effect.done', ...of, state: 'observe', ms: 4 });
    journal.record({ kind: 'state', ...of, state: 'done', event: 'xstate.done.actor.observe' });
    const end = error === undefined ? { outcome: 'settled' as const } : { outcome: 'failed' as const, error };
    journal.record({ kind: 'reconcile.finished', ...of, ms: 5, ...end });
  };
  const count = async (result: string): Promise<string | undefined> => {
    const { text } = await metrics.expose();
    return new RegExp(`controller_trace_reconciles_total\\{result="${result}"\\} (\\d+)`).exec(text)?.[1];
  };
  return { clock, exporter, reconcile, count, ids };
}

const spansIn = (body: string): readonly Span[] =>
  (JSON.parse(body) as ExportTraceServiceRequest).resourceSpans.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans),
  );

/**
 * Fields of https://github.com/open-telemetry/opentelemetry-proto/blob/v1.3.2/opentelemetry/proto/trace/v1/trace.proto
 * in their JSON form.
 */
function checkSpan(span: Span): void {
  expect(Object.keys(span)).toEqual(
    expect.arrayContaining(['traceId', 'spanId', 'name', 'kind', 'startTimeUnixNano', 'endTimeUnixNano']),
  );
  expect(span.traceId).toMatch(/^[0-9a-f]{32}$/);
  expect(span.spanId).toMatch(/^[0-9a-f]{16}$/);
  if (span.parentSpanId !== undefined) expect(span.parentSpanId).toMatch(/^[0-9a-f]{16}$/);
  expect([1, 2, 3, 4, 5]).toContain(span.kind);
  for (const time of [span.startTimeUnixNano, span.endTimeUnixNano]) expect(time).toMatch(/^\d{19}$/);
  expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
  for (const { key, value } of span.attributes) {
    expect(key).toMatch(/^[a-z][a-z0-9_.]*$/);
    const [[kind, content] = [], ...rest] = Object.entries(value);
    expect(rest).toEqual([]);
    expect(['stringValue', 'intValue']).toContain(kind);
    expect(content).toEqual(kind === 'intValue' ? expect.stringMatching(/^-?\d+$/) : expect.any(String));
  }
  if (span.status !== undefined) expect(span.status).toEqual({ code: 2, message: expect.any(String) });
}

describe('createTraceExporter', () => {
  it('sends each reconcile as a trace in the JSON form of OTLP, with a link to its cause', async () => {
    const { url, received } = await collector();
    const header = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const asked: (readonly string[])[] = [];
    const { exporter, reconcile, ids, count } = exporting(url, {
      contextsOf: (versions) => {
        asked.push(versions);
        return Promise.resolve({ '7': header });
      },
    });
    await exporter.start();
    reconcile('job-1');
    reconcile('job-2', 'team/b', 'no quota');
    await exporter.stop();
    expect(received).toHaveLength(1);
    const [{ body, request } = { body: '' }] = received;
    expect(request?.headers['content-type']).toBe('application/json');
    expect(asked).toEqual([['7']]);
    const spans = spansIn(body);
    spans.forEach(checkSpan);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    const names = ['reconcile job', 'create pods', 'effect observe', 'observing', 'done'];
    expect(spans.map(({ name }) => name)).toEqual([...names, ...names]);
    const [root, call, effect, observing] = spans;
    expect(root).toMatchObject({
      ...ids.ofReconcile('job-1'),
      links: [{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }],
    });
    expect(root?.parentSpanId).toBeUndefined();
    expect(observing?.parentSpanId).toBe(root?.spanId);
    expect(effect?.parentSpanId).toBe(observing?.spanId);
    expect(call).toMatchObject({ parentSpanId: effect?.spanId, kind: 3, status: { code: 2 } });
    expect(spans[5]).toMatchObject({ status: { code: 2, message: 'no quota' } });
    expect(new Set(spans.slice(5).map(({ traceId }) => traceId))).toEqual(new Set([spans[5]?.traceId]));
    expect(spans[5]?.traceId).not.toBe(root?.traceId);
    expect([await count('sent'), await count('dropped')]).toEqual(['2', '0']);
  });

  it('sends a batch again after 503, and drops it after 400', async () => {
    const { url, received } = await collector([503, 200, 400]);
    const { exporter, clock, reconcile, count } = exporting(url);
    await exporter.start();
    reconcile('job-1');
    await clock.advance(1_000);
    await expect.poll(() => received.length).toBe(1);
    await expect.poll(() => clock.pending).toBeGreaterThan(0);
    await clock.advance(1_000);
    await expect.poll(() => count('sent')).toBe('1');
    expect(received[0]?.body).toBe(received[1]?.body);
    reconcile('job-2');
    await exporter.stop();
    expect(received).toHaveLength(3);
    expect(await count('dropped')).toBe('1');
  });

  it('drops what exceeds its bound, and counts it, while no collector answers', async () => {
    const { exporter, reconcile, count } = exporting(new URL('http://127.0.0.1:9/v1/traces'));
    await exporter.start();
    for (let n = 0; n < 2_100; n++) reconcile(`job-${n}`);
    expect(await count('dropped')).toBe('100');
    await exporter.stop();
    expect([await count('sent'), await count('dropped')]).toEqual(['0', '2100']);
  });
});
