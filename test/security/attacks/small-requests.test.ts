import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { processorMs } from '../../processor-time.ts';
import { caller, IN_N, made, over1, refusedHead, send, world, attackNewCluster } from './attacked-cluster.ts';

attackNewCluster();

/** Maximum processor time of one request in milliseconds. It is high, because the machine may be slow. */
const QUICK_MS = 2_000;

describe('a small request', () => {
  const map = `${IN_N}/configmaps/c`;
  const quickly = async (run: () => Promise<{ status: number }>): Promise<number> => {
    const from = processorMs();
    const { status } = await run();
    expect(processorMs() - from).toBeLessThan(QUICK_MS);
    return status;
  };
  const patched = (body: unknown, type: string) =>
    quickly(() => send('alice', 'PATCH', `${map}?fieldManager=m`, body, type));
  const JSON_PATCH = 'application/json-patch+json';

  it('cannot grow large by copies', async () => {
    const doubling = Array.from({ length: 60 }, (_, i) => ({
      op: 'copy',
      from: '/data',
      path: `/data/x${i}`,
    }));
    expect(await patched(doubling, JSON_PATCH)).toBe(413);
    expect(await patched(doubling.slice(0, 2), JSON_PATCH)).toBe(422);
  });

  it('does not delay other requests by its warnings or owner references', async () => {
    const named = (name: string, metadata: object, rest: object) =>
      quickly(() => send('alice', 'PUT', `${map}?dryRun=All`, { metadata: { name, ...metadata }, ...rest }));
    const unknown = (length: number) => Object.fromEntries(Array.from({ length }, (_, i) => [`f${i}`, 1]));
    expect(await named('c', {}, unknown(3_000))).toBe(200);
    expect(await named('c', {}, unknown(30_000))).toBe(413);
    const ownerReferences = Array.from({ length: 5_000 }, (_, i) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      name: 'p',
      uid: `u${i}`,
    }));
    expect(await named('c', { ownerReferences }, {})).toBe(200);
  });

  it('cannot exceed the limit of patch operations', async () => {
    const many = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/kind', value: 'ConfigMap' }));
    expect(await patched(many, JSON_PATCH)).toBe(413);
  });

  it('cannot create an array longer than its body', async () => {
    const far = [
      { op: 'add', path: '/metadata/finalizers', value: [] },
      { op: 'add', path: '/metadata/finalizers/4294967294', value: 'a/b' },
    ];
    expect(await patched(far, JSON_PATCH)).toBe(422);
    // The first `test` operation fails, so the others are not executed, but their values are decoded and
    // charged.
    const value = Array.from({ length: 1_000 }, (_, i) => i);
    expect(
      await patched(
        Array.from({ length: 500 }, () => ({ op: 'test', path: '/data', value })),
        JSON_PATCH,
      ),
    ).toBe(413);
  });

  it.each([
    ['JSON', 'application/merge-patch+json', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['lists in JSON', JSON_PATCH, `${'['.repeat(500_000)}${']'.repeat(500_000)}`],
    [
      'values to test',
      JSON_PATCH,
      `[{"op":"test","path":"/data","value":${'['.repeat(50_000)}${']'.repeat(50_000)}}]`,
    ],
    ['YAML', 'application/apply-patch+yaml', '['.repeat(20_000)],
    ['maps in YAML', 'application/apply-patch+yaml', 'a: {'.repeat(20_000)],
    ['keys of keys of YAML', 'application/apply-patch+yaml', `${'? '.repeat(400)}x: y`],
    ['blocks of YAML', 'application/apply-patch+yaml', '- '.repeat(20_000)],
    // Deep in the stack, reading a number once compiled a regular expression, which crashed the process.
    ['a number deep in YAML', 'application/apply-patch+yaml', `${'['.repeat(3_000)}.5${']'.repeat(3_000)}`],
  ])('is rejected beyond the nesting limit: %s', async (_name, type, body) => {
    expect(await patched(body, type)).toBe(400);
  });

  it('cannot expand by aliases beyond the limit', async () => {
    const levels = Array.from({ length: 30 }, (_, i) => `a${i}: &a${i} [${`*a${i - 1},`.repeat(9)}]`).slice(
      1,
    );
    const laughs = `a0: &a0 [x]\n${levels.join('\n')}\n`;
    expect(await patched(laughs, 'application/apply-patch+yaml')).toBe(400);
    expect(await patched('a: &a [*a]\n', 'application/apply-patch+yaml')).toBe(400);
  });

  it('cannot decompress beyond the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000, ' '));
    const status = await quickly(async () => {
      const response = await caller.request('POST', `${IN_N}/configmaps`, {
        headers: {
          authorization: 'Bearer alice-token',
          'content-type': 'application/json',
          'content-encoding': 'gzip',
        },
        body: bomb,
      });
      await response.text();
      return response;
    });
    expect([400, 415]).toContain(status);
  });

  it('cannot have a selector larger than the header limit', async () => {
    const values = Array.from({ length: 8_000 }, (_, i) => `v${i}`).join(',');
    const labels = encodeURIComponent(`a in (${values})`);
    const fields = encodeURIComponent('metadata.name!=x,'.repeat(3_000));
    for (const query of [
      `labelSelector=${labels}`,
      `fieldSelector=${fields}a`,
      `labelSelector=${'('.repeat(50_000)}`,
    ]) {
      const status = await quickly(() => send('alice', 'GET', `${IN_N}/configmaps?${query}`));
      expect([200, 400]).toContain(status);
    }
    expect(refusedHead(await over1(`${IN_N}/configmaps?labelSelector=${labels}${labels}`, 'alice'))).toBe(
      true,
    );
  });

  it('cannot cause backtracking by a pattern of a custom resource', async () => {
    const properties = {
      text: { type: 'string', pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' },
      twice: { type: 'string', pattern: '(a*)*(a|a)*b' },
    };
    await made('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'traps.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Cluster',
        names: { plural: 'traps', singular: 'trap', kind: 'Trap', listKind: 'TrapList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties } },
          },
        ],
      },
    });
    await world.eventually(
      async () => (await send('root', 'GET', '/apis/example.com/v1/traps')).status === 200,
    );
    const answerTo = (text: string) => {
      const trap = { apiVersion: 'example.com/v1', kind: 'Trap', metadata: { name: 't' }, text, twice: text };
      return quickly(() => send('root', 'POST', '/apis/example.com/v1/traps', trap));
    };
    expect(await answerTo('a'.repeat(1_000))).toBe(422);
    expect(await answerTo('a'.repeat(20_000))).toBe(413);
  });
});
