import { X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InMemoryCaller, createInMemoryCaller } from '../../apiserver/http/in-memory.ts';
import type { HttpPeer } from '../../base/http/message.ts';
import { issueCertificate } from '../../base/pki/certificates.ts';
import { generateKeyPair } from '../../base/pki/keys.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { type World, createWorld } from '../world/world.ts';

/** For any input, the whole API server, including admission, returns success or a Status with a 4xx code. */
let world: World;
let caller: InMemoryCaller;
let peer: HttpPeer;

beforeAll(async () => {
  world = await createWorld({ controllers: [] });
  caller = createInMemoryCaller(world.server.handler);
  const now = world.clock.now();
  const pem = issueCertificate(
    {
      subject: { commonName: 'fuzzer', organizations: ['system:masters'] },
      publicKey: generateKeyPair('ec-p256').publicKey,
      usages: ['client auth'],
      notBeforeMs: now - 60_000,
      notAfterMs: now + 86_400_000,
    },
    world.signingCa,
    createSeededRandom(1),
  );
  peer = { address: '127.0.0.1', certificate: new X509Certificate(pem) };
  // Pods are admitted only if this ServiceAccount exists.
  const account = JSON.stringify({ metadata: { name: 'default' } });
  await send('POST', '/api/v1/namespaces/default/serviceaccounts', account, typeOf.json);
});
afterAll(() => world.stop());

const containers = [
  { name: 'c', image: 'i', env: [{ name: 'A', value: '1' }], ports: [{ containerPort: 80 }] },
];
const template = { metadata: { labels: { a: 'b' } }, spec: { restartPolicy: 'Never', containers } };
const metadata = { name: 'x', labels: { a: 'b' }, annotations: { a: 'b' }, finalizers: ['example.com/f'] };
const group = 'orch.io';

/** Paths of collections, each with a valid object. */
const samples = [
  ['/api/v1/namespaces', { metadata, spec: { finalizers: ['orch'] } }],
  [
    '/api/v1/namespaces/default/configmaps',
    { metadata, data: { a: '1' }, binaryData: { b: 'AA==' }, immutable: false },
  ],
  [
    '/api/v1/namespaces/default/secrets',
    { metadata, type: 'Opaque', data: { a: 'AA==' }, stringData: { b: 'c' } },
  ],
  ['/api/v1/namespaces/default/pods', { metadata, spec: template.spec }],
  [
    '/api/v1/nodes',
    { metadata, spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] }, status: { capacity: { cpu: '1' } } },
  ],
  ['/api/v1/namespaces/default/serviceaccounts', { metadata, secrets: [{ name: 's' }] }],
  [
    '/api/v1/namespaces/default/events',
    {
      metadata,
      involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
      lastTimestamp: '2026-01-01T00:00:00Z',
    },
  ],
  [
    '/apis/batch/v1/namespaces/default/cronjobs',
    {
      metadata,
      spec: { schedule: '* * * * *', timeZone: 'Europe/Berlin', jobTemplate: { spec: { template } } },
    },
  ],
  ['/apis/batch/v1/namespaces/default/jobs', { metadata, spec: { backoffLimit: 1, template } }],
  [
    `/apis/rbac.authorization.${group}/v1/clusterroles`,
    { metadata, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
  ],
  [
    `/apis/rbac.authorization.${group}/v1/namespaces/default/rolebindings`,
    {
      metadata,
      roleRef: { apiGroup: `rbac.authorization.${group}`, kind: 'Role', name: 'r' },
      subjects: [{ kind: 'User', name: 'u' }],
    },
  ],
  [
    `/apis/certificates.${group}/v1/certificatesigningrequests`,
    { metadata, spec: { request: 'aGVsbG8=', signerName: 'example.com/s', usages: ['client auth'] } },
  ],
  [
    `/apis/coordination.${group}/v1/namespaces/default/leases`,
    { metadata, spec: { holderIdentity: 'h', renewTime: '2026-01-01T00:00:00.000000Z' } },
  ],
  [
    `/apis/authorization.${group}/v1/subjectaccessreviews`,
    { spec: { user: 'u', resourceAttributes: { verb: 'get', resource: 'pods' } } },
  ],
  [`/apis/authentication.${group}/v1/tokenreviews`, { spec: { token: 't' } }],
  [
    '/api/v1/namespaces/default/serviceaccounts/default/token',
    { spec: { audiences: ['a'], expirationSeconds: 600 } },
  ],
] as const;

const KEYS = [
  'metadata',
  'name',
  'spec',
  'data',
  'finalizers',
  '$patch',
  '$retainKeys',
  '__proto__',
  'constructor',
  'toString',
  'a/b',
  '',
];

/** Generates JSON as a string, so that keys such as `__proto__` and duplicate keys occur. */
const { value: jsonText } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom(
      'null',
      'true',
      '0',
      '-1',
      '1.5',
      '1e400',
      '""',
      '"a"',
      '"2026-01-01T00:00:00Z"',
      '"\\u0000"',
      '"\\ud800"',
      '9007199254740993',
    ),
    fc.string().map((text) => JSON.stringify(text)),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join()}]`),
    fc
      .array(fc.tuple(fc.oneof(fc.constantFrom(...KEYS), fc.string()), tie('value')), { maxLength: 4 })
      .map((fields) => `{${fields.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join()}}`),
  ),
}));

/** Returns the path of keys to every value within a JSON value. */
const places = (value: unknown, path: readonly string[] = []): readonly (readonly string[])[] => [
  path,
  ...(typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => places(inner, [...path, key]))
    : []),
];

/** Returns JSON in which another JSON string replaces the value at one path. */
function withText(value: unknown, path: readonly string[], text: string): string {
  const [key, ...rest] = path;
  if (key === undefined) return text;
  const entries = Object.entries(value as object).map(
    ([name, inner]) => [name, name === key ? withText(inner, rest, text) : JSON.stringify(inner)] as const,
  );
  return Array.isArray(value)
    ? `[${entries.map(([, inner]) => inner).join()}]`
    : `{${entries.map(([name, inner]) => `${JSON.stringify(name)}:${inner}`).join()}}`;
}

const spoiled = fc.constantFrom(...samples).chain(([path, sample]) =>
  fc.record({
    path: fc.constant(path),
    body: fc
      .tuple(fc.constantFrom(...places(sample)), jsonText)
      .map(([place, text]) => withText(sample, place, text)),
  }),
);

const typeOf = { json: 'application/json', yaml: 'application/yaml' };
const patchTypes = [
  'application/merge-patch+json',
  'application/json-patch+json',
  'application/strategic-merge-patch+json',
];

async function send(method: string, path: string, body: string | Uint8Array, contentType: string) {
  const response = await caller.request(method, path, {
    peer,
    body,
    headers: { 'content-type': contentType },
  });
  const text = await response.text();
  const seen = `${method} ${path} ${response.status} ${text.slice(0, 2_000)}`;
  // Delete options that cannot be decoded return 500 without a reason, as upstream.
  const isUndecodable = method === 'DELETE' && response.status === 500 && !text.includes('"reason"');
  if (response.status >= 500 && !isUndecodable) throw new Error(`a defect: ${seen}`);
  if (response.status < 400) return response.status;
  const status = JSON.parse(text) as Readonly<Record<string, unknown>>;
  expect(status, seen).toMatchObject({ kind: 'Status', status: 'Failure', code: response.status });
  expect(status['message'], seen).toBeTypeOf('string');
  expect(text, seen).not.toMatch(/\n\s+at \S+|node_modules|\.[jt]s:\d+:\d+/);
  return response.status;
}

const runs = { numRuns: 400 };

describe('the API server', () => {
  it('accepts each sample unchanged, except the request that is not PEM', async () => {
    for (const [path, sample] of samples) {
      const status = await send('POST', `${path}?dryRun=All`, JSON.stringify(sample), typeOf.json);
      expect([path, status]).toEqual([path, path.endsWith('certificatesigningrequests') ? 422 : 201]);
    }
  });

  it('responds to any JSON in place of an object or a part of an object', async () => {
    await fc.assert(
      fc.asyncProperty(
        spoiled,
        fc.constantFrom('', '?fieldValidation=Strict', '?fieldValidation=Warn'),
        async ({ path, body }, query) => {
          await send('POST', `${path}${query}`, body, typeOf.json);
        },
      ),
      runs,
    );
  });

  it('responds to an object in YAML with any strings, including unpaired surrogates', async () => {
    await fc.assert(
      fc.asyncProperty(spoiled, async ({ path, body }) => {
        await send('POST', `${path}?dryRun=All`, body, typeOf.yaml);
      }),
      { numRuns: 150 },
    );
  });

  it('responds to any bytes of any content type', async () => {
    const types = fc.oneof(fc.constantFrom(typeOf.json, typeOf.yaml), fc.string({ maxLength: 20 }));
    const bytes = fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.string({ unit: 'binary' }), jsonText);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...samples), bytes, types, async ([path], body, type) => {
        await send('POST', path, body, type);
      }),
      runs,
    );
  });

  it('responds to any patch and any replacement of an existing object', async () => {
    const path = '/apis/batch/v1/namespaces/default/cronjobs';
    const [, sample] = samples[7];
    const pointer = fc.constantFrom(...places(sample)).map((place) => place.map((key) => `/${key}`).join(''));
    const operation = fc
      .tuple(fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'), pointer, pointer, jsonText)
      .map(([op, at, from, value]) => `{"op":"${op}","path":"${at}","from":"${from}","value":${value}}`);
    const patch = fc.oneof(
      jsonText,
      fc.array(operation, { maxLength: 3 }).map((operations) => `[${operations.join()}]`),
      fc
        .tuple(fc.constantFrom(...places(sample)), jsonText)
        .map(([place, text]) => withText(sample, place, text)),
    );
    const ways = [['PUT', typeOf.json], ...patchTypes.map((type) => ['PATCH', type])] as const;
    await send('POST', path, JSON.stringify(sample), typeOf.json);
    await fc.assert(
      fc.asyncProperty(patch, fc.constantFrom(...ways), async (body, [method = '', type = '']) => {
        await send(method, `${path}/x?dryRun=All`, body, type);
        await send(method, `${path}/x/status?dryRun=All`, body, type);
      }),
      runs,
    );
  });

  it('responds to any delete options and any query', async () => {
    const maps = '/api/v1/namespaces/default/configmaps';
    const name = fc.constantFrom(
      'limit',
      'continue',
      'labelSelector',
      'fieldSelector',
      'resourceVersion',
      'resourceVersionMatch',
      'timeoutSeconds',
      'fieldManager',
      'dryRun',
      'propagationPolicy',
      'gracePeriodSeconds',
      'allowWatchBookmarks',
    );
    const query = fc
      .array(fc.tuple(name, fc.string()), { maxLength: 3 })
      .map((pairs) => new URLSearchParams(pairs).toString());
    await fc.assert(
      fc.asyncProperty(query, jsonText, async (given, body) => {
        await send('GET', `${maps}?${given}`, '', typeOf.json);
        await send('DELETE', `${maps}/none?${given}`, body, typeOf.json);
      }),
      runs,
    );
  });

  it('has no polluted prototypes afterwards', async () => {
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(await send('GET', '/api/v1/namespaces/default/configmaps', '', typeOf.json)).toBe(200);
    expect(await send('GET', '/readyz', '', typeOf.json)).toBe(200);
    expect(world.complaints).toEqual([]);
  });
});
