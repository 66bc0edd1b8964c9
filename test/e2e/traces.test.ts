import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { createApi } from './api.ts';
import { created } from './cluster.ts';
import { createWorkbench } from './process.ts';

const READY = /^ready (\S+) — /m;
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const HEADER = `00-${TRACE}-00f067aa0ba902b7-01`;
const SECRET = 'hunter2-of-the-traces';

const bench = createWorkbench();
afterAll(() => bench.close());

interface Span {
  readonly traceId: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
  readonly links?: readonly { readonly traceId: string }[];
}

interface Body {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
}

/** A collector that keeps the text of each request. */
async function collector() {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      bodies.push(Buffer.concat(chunks).toString());
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
}

const spansIn = (bodies: readonly string[]): readonly Span[] =>
  bodies.flatMap((body) =>
    (JSON.parse(body) as Body).resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) => spans),
    ),
  );

const attribute = ({ attributes }: Span, name: string): string | undefined =>
  attributes.find(({ key }) => key === name)?.value.stringValue;

describe('--otlp-endpoint', () => {
  it('sends a trace of each reconcile, linked to the request that caused it, without secrets', async () => {
    const { url, bodies } = await collector();
    const data = join(bench.folder(), 'data');
    const program = bench.orch(['up', '--data-dir', data, '--secure-port', '0', '--otlp-endpoint', url]);
    await program.output(READY);
    const api = createApi(join(data, 'admin.conf'));
    onTestFinished(() => api.close());
    await created(api, '/api/v1/namespaces', { metadata: { name: 'team' } });
    await created(api, '/api/v1/namespaces/team/secrets', {
      metadata: { name: 'password' },
      stringData: { password: SECRET },
    });
    const pod = { containers: [{ name: 'main', image: 'busybox' }], restartPolicy: 'Never' };
    const response = await api.call('POST', '/apis/batch/v1/namespaces/team/cronjobs', {
      headers: { traceparent: HEADER },
      body: {
        metadata: { name: 'tick' },
        spec: { schedule: '* * * * *', jobTemplate: { spec: { template: { spec: pod } } } },
      },
    });
    expect(response.status).toBe(201);
    const ofTick = (): readonly Span[] =>
      spansIn(bodies).filter(
        (span) => span.name === 'reconcile cronjob' && attribute(span, 'controller.key') === 'team/tick',
      );
    await expect.poll(() => ofTick().length, { timeout: 60_000 }).toBeGreaterThan(0);
    expect(ofTick()[0]?.links?.map(({ traceId }) => traceId)).toEqual([TRACE]);
    expect(await program.end('SIGTERM')).toMatchObject({ code: 0 });
    expect(bodies.join('')).not.toContain(SECRET);
  });

  it('rejects an endpoint with a password without repeating it', async () => {
    const endpoint = `http://user:${SECRET}@127.0.0.1:4318`;
    const data = join(bench.folder(), 'data');
    const program = bench.orch(['up', '--data-dir', data, '--secure-port', '0', '--otlp-endpoint', endpoint]);
    expect((await program.exit()).code).not.toBe(0);
    expect(program.stderr).toContain('invalid --otlp-endpoint');
    expect(program.stderr).not.toContain(SECRET);
  });
});
