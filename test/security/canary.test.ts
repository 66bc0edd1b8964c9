import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRecorder } from '../../apiserver/audit/audit.fixture.ts';
import { parsePolicy } from '../../apiserver/audit/policy.ts';
import { createBearerAuthenticator } from '../../apiserver/auth/bearer.ts';
import { createImpersonation } from '../../apiserver/auth/impersonation.ts';
import { createWebSocketTokenAuthenticator } from '../../apiserver/auth/web-socket-token.ts';
import { CRDS, startServer, widget, widgets } from '../../apiserver/extensions/extensions.fixture.ts';
import { kubernetesVocabulary as vocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { Logger } from '../../base/log/logger.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';

/** Values of a Secret that nothing else holds, and what of them in any encoding gives them away. */
const CANARY = 'Qz7canary-Qz7canary-Qz7canary';
const NUMBER = 77_123_456_789;
const ENCODED = Buffer.from(CANARY).toString('base64');
const SHOWN = [/Qz7c/i, /UXo3Y/, /51 ?7a ?37 ?63/i, /7712345/];
const leaks = (text: string): boolean => SHOWN.some((each) => each.test(text));

const SECRETS = '/api/v1/namespaces/default/secrets';
const STORED = `${SECRETS}/stored`;
const secret = { metadata: { name: 'stored' }, type: 'Opaque', data: { password: ENCODED } };

/** Fields of a Secret with the canary where the API expects something else. */
const WRONG: readonly object[] = [
  ...['data', 'stringData', 'immutable', 'metadata'].flatMap((field) =>
    [
      CANARY,
      NUMBER,
      [CANARY],
      [[CANARY]],
      { a: { b: CANARY } },
      { a: [CANARY] },
      { a: NUMBER },
      { a: CANARY },
    ].map((value) => ({ [field]: value })),
  ),
  { data: { password: `${ENCODED}*` } },
  { data: { password: `*${ENCODED}` } },
  { data: { '.dockerconfigjson': ENCODED }, type: 'kubernetes.io/dockerconfigjson' },
  { data: { '.dockercfg': ENCODED }, type: 'kubernetes.io/dockercfg' },
  { data: { 'no/key': ENCODED } },
  { data: { password: ENCODED }, unknown: { a: CANARY } },
  { data: { password: ENCODED }, metadata: { name: 'other' } },
  { data: { password: ENCODED }, metadata: { annotations: { a: [CANARY] } } },
  { data: { password: ENCODED }, metadata: { annotations: { 'bad key': CANARY } } },
  { data: { password: ENCODED }, metadata: { ownerReferences: [{ uid: 'x' }] } },
  { data: { password: ENCODED }, metadata: { finalizers: ['not a finalizer'] } },
  { data: { password: ENCODED }, metadata: { resourceVersion: '1' } },
  { data: { password: ENCODED }, metadata: { managedFields: 'x' } },
  { data: { password: ENCODED }, kind: 'ConfigMap', apiVersion: 'v1' },
  { data: { password: ENCODED }, apiVersion: 'v2' },
  { data: { password: ENCODED }, type: 1 },
  { data: { password: ENCODED }, type: 'changed' },
];

/** More than a Secret may hold. */
const LARGE = { stringData: { x: CANARY.repeat(40_000) } };

const METADATA = { metadata: { name: 'stored' } };
const whole = (part: object): object => ({ kind: 'Secret', apiVersion: 'v1', ...METADATA, ...part });

/** Texts that are cut, changed or continued at many places. */
function* broken(text: string): Generator<string> {
  for (let at = 1; at < text.length; at += 17) {
    yield text.slice(0, at);
    yield `${text.slice(0, at)}\u0001${text.slice(at)}`;
    yield `${text.slice(0, at)}"${text.slice(at)}`;
  }
  yield `${text}${text}`;
  yield `[${text}]`;
  yield JSON.stringify(text);
}

/** Patches of the stored Secret that cannot be carried out, or make something else of it. */
const JSON_PATCHES: readonly unknown[] = [
  ...WRONG.flatMap((part) =>
    Object.entries(part).map(([field, value]) => [{ op: 'add', path: `/${field}`, value: value as unknown }]),
  ),
  [{ op: 'add', path: '/immutable', value: 'x' }],
  [{ op: 'replace', path: '/data', value: 'x' }],
  [{ op: 'test', path: '/data/password', value: CANARY }],
  [{ op: 'test', path: '/data/password', value: 'guess' }],
  [{ op: 'copy', from: '/data/password', path: '/immutable' }],
  [{ op: 'copy', from: '/data/password', path: '/metadata/finalizers' }],
  [{ op: 'copy', from: '/data/password', path: '/metadata/creationTimestamp' }],
  [{ op: 'copy', from: '/data', path: '/type' }],
  [{ op: 'copy', from: '/data/password', path: '/apiVersion' }],
  ...[
    'type',
    'metadata/name',
    'metadata/namespace',
    'metadata/labels',
    'metadata/annotations',
    'metadata/uid',
  ].map((path) => [{ op: 'copy', from: '/data/password', path: `/${path}` }]),
  [{ op: 'copy', from: '/data/password', path: '/metadata/resourceVersion' }],
  [
    { op: 'add', path: '/metadata/labels', value: {} },
    { op: 'copy', from: '/data/password', path: '/metadata/labels/a' },
  ],
  [
    { op: 'add', path: '/metadata/finalizers', value: [] },
    { op: 'copy', from: '/data/password', path: '/metadata/finalizers/0' },
  ],
  [{ op: 'move', from: '/data/password', path: '/data/a/b' }],
  [{ op: 'remove', path: '/kind' }],
  [{ op: CANARY, path: '/data' }],
  { op: 'add', path: '/data', value: CANARY },
  CANARY,
];
const MERGES: readonly unknown[] = [
  ...WRONG,
  { immutable: 'x' },
  { metadata: null },
  { apiVersion: null },
  { data: null, immutable: [] },
  [CANARY],
  CANARY,
];
const STRATEGIC: readonly unknown[] = [
  ...MERGES,
  { $patch: CANARY },
  { data: { $patch: CANARY } },
  { data: { $patch: 'x', a: CANARY } },
  { metadata: { ownerReferences: [{ a: CANARY }] } },
  { metadata: { $setElementOrder: CANARY } },
  { '$setElementOrder/data': [CANARY] },
  { metadata: { '$deleteFromPrimitiveList/finalizers': CANARY } },
  { metadata: { finalizers: [[CANARY]] } },
  { $retainKeys: CANARY },
];

interface Ask {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const typed = (type: string): { readonly headers: Readonly<Record<string, string>> } => ({
  headers: { 'content-type': type },
});

function* writes(): Generator<Ask> {
  const targets = [
    { method: 'POST', path: `${SECRETS}?fieldValidation=Strict` },
    { method: 'PUT', path: `${STORED}?fieldValidation=Strict` },
    { method: 'PUT', path: `${STORED}?dryRun=All` },
    { method: 'POST', path: '/api/v1/namespaces/default/configmaps' },
    { method: 'POST', path: '/apis/example.com/v1/namespaces/default/widgets' },
    { method: 'DELETE', path: `${SECRETS}/absent` },
  ];
  yield { method: 'POST', path: SECRETS, body: whole(LARGE) };
  for (const target of targets) {
    for (const part of WRONG) yield { ...target, body: whole(part) };
    const json = `{"data":{"p":"${ENCODED}"},"kind":"Secret","n":${NUMBER}}`;
    const yaml = `data:\n  p: ${ENCODED}\n  q: [${CANARY}\nkind: &a Secret\n`;
    for (const body of broken(json)) yield { ...target, body, ...typed('application/json') };
    for (const body of broken(yaml)) yield { ...target, body, ...typed('application/yaml') };
    for (const body of [json, `k8s\0${json}`, `k8s\0\n${CANARY}`])
      yield { ...target, body, ...typed('application/vnd.kubernetes.protobuf') };
    yield { ...target, body: json, ...typed('text/plain') };
  }
}

function* patches(): Generator<Ask> {
  const kinds: readonly [string, readonly unknown[]][] = [
    ['application/json-patch+json', JSON_PATCHES],
    ['application/merge-patch+json', MERGES],
    ['application/strategic-merge-patch+json', STRATEGIC],
    ['application/apply-patch+yaml', [...MERGES, ...WRONG.map(whole)]],
  ];
  for (const [type, all] of kinds)
    for (const query of ['', '?dryRun=All&fieldValidation=Strict']) {
      const path = `${STORED}${query}${type.includes('apply') ? `${query === '' ? '?' : '&'}fieldManager=m` : ''}`;
      for (const body of all)
        yield { method: 'PATCH', path, body: JSON.stringify(body), headers: { 'content-type': type } };
      for (const body of broken(`{"data":{"p":"${ENCODED}"}}`))
        yield { method: 'PATCH', path, body, headers: { 'content-type': type } };
    }
}

function* credentials(): Generator<Ask> {
  const token = Buffer.from(CANARY).toString('base64url');
  const socket = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
  const path = '/api/v1/namespaces/default/configmaps';
  for (const scheme of ['Bearer', 'Basic', 'Token', 'bearer  '])
    yield { method: 'GET', path, headers: { authorization: `${scheme} ${CANARY}` } };
  for (const protocols of [
    `base64url.bearer.authorization.k8s.io.${token}`,
    `a, base64url.bearer.authorization.k8s.io.${token}`,
  ])
    yield {
      method: 'GET',
      path: `${path}?watch=true`,
      headers: { ...socket, 'sec-websocket-protocol': protocols },
    };
  for (const name of ['token', 'access_token', 'id_token', 'access%5ftoken', 'TOKEN'])
    for (const at of [path, '/nowhere', '/api/v1/nodes/n/proxy/x', `${path}/%zz`]) {
      yield { method: 'GET', path: `${at}?${name}=${CANARY}` };
      yield { method: 'GET', path: `${at}?a=b&${name}=${CANARY}&c=d`, headers: { 'impersonate-group': 'x' } };
    }
}

function* reviews(): Generator<Ask> {
  const path = '/apis/authentication.k8s.io/v1/tokenreviews';
  for (const spec of [
    CANARY,
    [CANARY],
    { token: [CANARY] },
    { token: { a: CANARY } },
    { token: CANARY, audiences: CANARY },
  ])
    yield {
      method: 'POST',
      path,
      body: { kind: 'TokenReview', apiVersion: 'authentication.k8s.io/v1', spec },
    };
  for (const body of broken(`{"spec":{"token":"${CANARY}"}}`))
    yield { method: 'POST', path, body, headers: { 'content-type': 'application/json' } };
}

describe.each(['Metadata', 'RequestResponse'])('at audit level %s', (level) => {
  const logged: string[] = [];
  const recorder = createRecorder();
  let started: Awaited<ReturnType<typeof startServer>>;

  beforeAll(async () => {
    const line = (fields: unknown, text?: string): void =>
      void logged.push(
        `${text} ${JSON.stringify(fields, (_key, value: unknown) => (value instanceof Error ? `${value.stack} ${String(value.cause)}` : value))}`,
      );
    const log = { debugEnabled: true, debug: line, info: line, warn: line, error: line } as unknown as Logger;
    const tokens = { name: 'none', authenticateToken: async () => undefined };
    const authorizer = { name: 'all', authorize: () => ({ verdict: 'allow' as const, reason: '' }) };
    started = await startServer({
      environment: { clock: createSimulatedClock(), random: createSeededRandom(1), log },
      audit: () => ({
        policy: parsePolicy(
          `{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: ${level}}]}`,
          vocabulary,
        ),
        backend: recorder.backend,
      }),
      authenticators: [
        createBearerAuthenticator(tokens),
        createWebSocketTokenAuthenticator(tokens, vocabulary),
        {
          name: 'all',
          authenticate: ({ headers }) =>
            headers['authorization'] ? undefined : { user: { username: 'admin', groups: [] } },
        },
      ],
      authorizer,
      stages: [createImpersonation({ authorizer, vocabulary })],
    });
    await started.call('POST', '/api/v1/namespaces', { metadata: { name: 'default' } });
    await started.call('POST', SECRETS, secret);
    await started.define(widgets());
    expect((await started.call('GET', CRDS)).status).toBe(200);
    expect(
      (await started.call('POST', '/apis/example.com/v1/namespaces/default/widgets', widget('w'))).status,
    ).toBe(201);
  });
  afterAll(() => started.server.stop());

  it.each([
    ['writes', writes],
    ['patches', patches],
    ['credentials', credentials],
    ['reviews', reviews],
  ])('no refusal, log line or audit event of %s shows a secret', async (_name, asks) => {
    const found = new Set<string>();
    let refused = 0;
    for (const { method, path, body, headers } of asks()) {
      const before = recorder.events.length;
      logged.length = 0;
      const response = await started.caller.request(method, path, {
        ...(body !== undefined && { body }),
        ...(headers && { headers }),
      });
      const text = response.status >= 400 ? await response.text() : '';
      if (response.status >= 400) refused++;
      else if (response.status === 200 && method === 'PATCH')
        await started.call('PUT', STORED, whole(secret));
      const warnings = String(response.header('warning') ?? '');
      // What the client sent and was given is in the events of the higher levels by intent.
      const events = recorder.events
        .slice(before)
        .map(({ requestObject: _sent, responseObject: _given, ...rest }) => rest);
      for (const [where, shown] of Object.entries({
        text,
        warnings,
        events: JSON.stringify(events),
        log: logged.join('\n'),
      }))
        if (leaks(shown)) {
          const at = Math.max(
            0,
            Math.min(
              ...SHOWN.map((each) => {
                const i = shown.search(each);
                return i < 0 ? Infinity : i;
              }),
            ) - 90,
          );
          found.add(
            `${where} of ${method} ${path.slice(0, 60)} ${headers?.['content-type'] ?? ''}: ${shown.slice(at, at + 140)}`,
          );
        }
    }
    expect(refused).toBeGreaterThan(10);
    expect([...found]).toEqual([]);
  });
});
