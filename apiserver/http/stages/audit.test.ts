import { describe, expect, it } from 'vitest';
import { builtinKinds } from '../../../api/groups/index.ts';
import { createScheme } from '../../../api/kinds/scheme.ts';
import { encodeObject } from '../../../api/protobuf/envelope.ts';
import { unauthorized } from '../../../api/status/api-error.ts';
import { ConfigMap } from '../../../api/types/core-v1.ts';
import { kubernetesVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { signalOf } from '../../../base/async/cancellation.ts';
import { createSimulatedClock } from '../../../base/clock/simulated.ts';
import { silentLogger } from '../../../base/log/logger.ts';
import { createSeededRandom } from '../../../base/random/seeded.ts';
import { createRecorder } from '../../audit/audit.fixture.ts';
import type { AuditBackend } from '../../audit/backend.ts';
import { createLogBackend } from '../../audit/log-backend.ts';
import { createBatching } from '../../audit/batching.ts';
import { parsePolicy } from '../../audit/policy.ts';
import { createImpersonation } from '../../auth/impersonation.ts';
import type { AdmissionPlugin, Authorizer } from '../../request.ts';
import { createApiServer } from '../../server.ts';
import { createMemoryStorage } from '../../storage/memory.ts';
import { stampResourceVersion } from '../../storage/stamp.ts';
import { type InMemoryRequest, createInMemoryCaller } from '../in-memory.ts';
import type { VirtualHandler } from '../virtual/virtual.ts';

const authorizer: Authorizer = {
  name: 'test',
  authorize: ({ user }) =>
    Promise.resolve(
      user.username === 'eve'
        ? { verdict: 'no-opinion', reason: 'unknown user' }
        : { verdict: 'allow', reason: 'she may' },
    ),
};

const broken: AdmissionPlugin = {
  name: 'Broken',
  operations: ['CREATE'],
  validate({ name }, cancellation) {
    if (name === 'broken') return Promise.reject(new TypeError('the password is hunter2'));
    if (name !== 'slow') return Promise.resolve();
    return new Promise((_resolve, reject) => {
      const signal = signalOf(cancellation);
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  },
};

const reviews: VirtualHandler = {
  group: 'authentication',
  version: 'v1',
  resource: 'tokenreviews',
  subresource: '',
  handle: (_context, body) => Promise.resolve({ ...body, status: { authenticated: true } }),
};

interface Options {
  readonly policy?: string;
  readonly backend?: AuditBackend;
}

/** Starts a server with an audit policy. alice may do everything, eve nothing, and `bad` has an invalid token. */
async function start({ policy = 'rules: [{level: RequestResponse}]', backend }: Options = {}) {
  const clock = createSimulatedClock(Date.UTC(2026, 0, 1));
  const recorder = createRecorder();
  const server = createApiServer({
    scheme: createScheme(kubernetesVocabulary, builtinKinds),
    environment: { clock, random: createSeededRandom(1), log: silentLogger },
    storage: createMemoryStorage({ stamp: stampResourceVersion }),
    authenticators: [
      {
        name: 'test',
        authenticate({ headers }) {
          const username = headers['user']?.[0] ?? 'alice';
          if (username === 'bad') throw unauthorized();
          return Promise.resolve({ user: { username, groups: ['dev'] } });
        },
      },
    ],
    authorizer,
    stages: [createImpersonation({ authorizer, vocabulary: kubernetesVocabulary })],
    virtual: [reviews],
    admission: [broken],
    audit: () => ({
      policy: parsePolicy(`apiVersion: audit.k8s.io/v1\nkind: Policy\n${policy}`, kubernetesVocabulary),
      backend: backend ?? recorder.backend,
    }),
  });
  await server.start();
  const caller = createInMemoryCaller(server.handler);
  await caller.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'a' } } });
  recorder.batches.length = 0;
  const call = async (method: string, url: string, request: InMemoryRequest = {}) => {
    const response = await caller.request(method, url, request);
    return { status: response.status, text: await response.text(), id: response.header('audit-id') };
  };
  const metric = async (name: string) =>
    (await server.metrics.expose()).text.split('\n').filter((line) => line.startsWith(name));
  return { server, caller, call, clock, recorder, metric };
}

const COLLECTION = '/api/v1/namespaces/a/configmaps';
const ITEM = `${COLLECTION}/c`;
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { k: 'v' } };
const created = async (options?: Options) => {
  const started = await start(options);
  await started.call('POST', COLLECTION, { body: CONFIG_MAP });
  started.recorder.batches.length = 0;
  return started;
};

describe('the audit events of a request', () => {
  it('record a create with its user, request and result', async () => {
    const { call, recorder } = await start();
    const { id } = await call('POST', `${COLLECTION}?fieldManager=m`, {
      body: CONFIG_MAP,
      headers: { 'user-agent': 'kubectl/v1.24', 'x-forwarded-for': '1.2.3.4' },
    });
    const common = {
      level: 'RequestResponse',
      auditID: id,
      requestURI: `${COLLECTION}?fieldManager=m`,
      verb: 'create',
      user: { username: 'alice', groups: ['dev'] },
      sourceIPs: ['1.2.3.4', '127.0.0.1'],
      userAgent: 'kubectl/v1.24',
      requestReceivedTimestamp: '2026-01-01T00:00:00.000000Z',
      stageTimestamp: '2026-01-01T00:00:00.000000Z',
    };
    expect(recorder.events).toEqual([
      {
        ...common,
        stage: 'RequestReceived',
        objectRef: { resource: 'configmaps', namespace: 'a', apiVersion: 'v1' },
      },
      {
        ...common,
        stage: 'ResponseComplete',
        objectRef: { resource: 'configmaps', namespace: 'a', name: 'c', apiVersion: 'v1' },
        responseStatus: { metadata: {}, code: 201 },
        requestObject: {
          ...CONFIG_MAP,
          metadata: { name: 'c', namespace: 'a', creationTimestamp: null },
        },
        responseObject: expect.objectContaining({
          kind: 'ConfigMap',
          data: { k: 'v' },
          metadata: expect.objectContaining({ uid: expect.any(String), managedFields: expect.any(Array) }),
        }),
        annotations: {
          'authorization.k8s.io/decision': 'allow',
          'authorization.k8s.io/reason': 'she may',
        },
      },
    ]);
  });

  it.each([
    ['Metadata', false, false],
    ['Request', true, false],
    ['RequestResponse', true, true],
  ])(
    'contain at level %s the request object: %s, the response object: %s',
    async (level, hasRequest, hasResponse) => {
      const { call, recorder } = await start({ policy: `rules: [{level: ${level}}]` });
      await call('POST', COLLECTION, { body: CONFIG_MAP });
      const event = recorder.events.at(-1);
      expect(event?.level).toBe(level);
      expect(event?.objectRef?.name).toBe('c');
      expect([event?.requestObject !== undefined, event?.responseObject !== undefined]).toEqual([
        hasRequest,
        hasResponse,
      ]);
    },
  );

  it('are omitted at level None', async () => {
    const { call, recorder, metric } = await start({ policy: 'rules: [{level: None}]' });
    await call('GET', COLLECTION);
    expect(recorder.events).toEqual([]);
    expect(await metric('apiserver_audit_event_total')).toEqual(['apiserver_audit_event_total 0']);
    expect(await metric('apiserver_audit_level_total{level="None"}')).toEqual([
      'apiserver_audit_level_total{level="None"} 2',
    ]);
  });

  it('record the start and the end of a watch', async () => {
    const { caller, recorder, clock } = await start();
    const response = await caller.request('GET', `${COLLECTION}?watch=1`);
    const stages = () => recorder.events.map(({ stage }) => stage);
    expect(stages()).toEqual(['RequestReceived', 'ResponseStarted']);
    expect(recorder.events[1]?.responseStatus).toEqual({ metadata: {}, code: 200 });
    const lines = response.chunks();
    const reading = lines.next();
    await clock.advance(2_000);
    expect(stages()).toHaveLength(2);
    await caller.request('POST', COLLECTION, { body: CONFIG_MAP });
    await reading;
    await lines.return?.();
    const [last] = recorder.events.filter(
      ({ verb, stage }) => verb === 'watch' && stage === 'ResponseComplete',
    );
    expect(last?.stageTimestamp).toBe('2026-01-01T00:00:02.000000Z');
    expect(last?.responseObject).toBeUndefined();
  });

  it('record a failed authentication in one event without user and credential', async () => {
    const { call, recorder } = await start();
    const headers = { user: 'bad', authorization: 'Bearer sesame' };
    expect((await call('GET', COLLECTION, { headers })).status).toBe(401);
    expect(recorder.events).toHaveLength(1);
    expect(recorder.events[0]).toMatchObject({
      stage: 'ResponseStarted',
      verb: 'list',
      user: {},
      responseStatus: {
        metadata: {},
        status: 'Failure',
        reason: 'Unauthorized',
        message: 'Authentication failed, attempted: bearer',
        code: 401,
      },
    });
    expect(JSON.stringify(recorder.events)).not.toContain('sesame');
  });

  it('record a denied request with the reason and the response', async () => {
    const { call, recorder } = await start();
    await call('GET', ITEM, { headers: { user: 'eve' } });
    const event = recorder.events.at(-1);
    expect(event).toMatchObject({
      stage: 'ResponseComplete',
      user: { username: 'eve' },
      responseStatus: { metadata: {}, status: 'Failure', reason: 'Forbidden', code: 403 },
      responseObject: { kind: 'Status', code: 403 },
      annotations: {
        'authorization.k8s.io/decision': 'forbid',
        'authorization.k8s.io/reason': 'unknown user',
      },
    });
  });

  it('record a defect as a panic, without its message', async () => {
    const { call, recorder } = await start();
    const body = { ...CONFIG_MAP, metadata: { name: 'broken' } };
    expect((await call('POST', COLLECTION, { body })).status).toBe(500);
    expect(recorder.events.map(({ stage }) => stage)).toEqual(['RequestReceived', 'Panic']);
    expect(recorder.events[1]?.responseStatus).toEqual({
      metadata: {},
      status: 'Failure',
      message: "APIServer panic'd: TypeError",
      reason: 'InternalError',
      code: 500,
    });
    expect(JSON.stringify(recorder.events)).not.toContain('hunter2');
  });

  it("record the client's response for a request that timed out", async () => {
    const { call, clock, recorder } = await start();
    const answered = call('POST', COLLECTION, { body: { ...CONFIG_MAP, metadata: { name: 'slow' } } });
    await clock.advance(60_000);
    expect((await answered).status).toBe(504);
    expect(recorder.events.map(({ stage }) => stage)).toEqual(['RequestReceived', 'ResponseComplete']);
    expect(recorder.events[1]).toMatchObject({
      responseStatus: { status: 'Failure', reason: 'Timeout', code: 504 },
      stageTimestamp: '2026-01-01T00:01:00.000000Z',
    });
  });

  it('name the user and the impersonated user, and record a denied impersonation', async () => {
    const { call, recorder } = await start();
    await call('GET', ITEM, { headers: { 'impersonate-user': 'bob', 'impersonate-group': 'ops' } });
    expect(recorder.events[0]?.impersonatedUser).toBeUndefined();
    expect(recorder.events[1]).toMatchObject({
      user: { username: 'alice', groups: ['dev'] },
      impersonatedUser: { username: 'bob', groups: ['ops', 'system:authenticated'] },
    });
    await call('GET', ITEM, { headers: { user: 'eve', 'impersonate-user': 'bob' } });
    expect(recorder.events.at(-1)).toMatchObject({
      user: { username: 'eve' },
      responseStatus: { code: 403 },
    });
  });

  it.each(['RequestReceived', 'ResponseComplete'])('omit the stage %s if the policy does', async (stage) => {
    const { call, recorder } = await start({
      policy: `omitStages: [${stage}]\nrules: [{level: Metadata}]`,
    });
    await call('GET', COLLECTION);
    expect(recorder.events).toHaveLength(1);
    expect(recorder.events[0]?.stage).not.toBe(stage);
  });

  it("have the client's audit id", async () => {
    const { call, recorder } = await start();
    const { id } = await call('GET', COLLECTION, { headers: { 'audit-id': 'mine-1' } });
    expect([id, recorder.events[0]?.auditID]).toEqual(['mine-1', 'mine-1']);
  });

  it('are valid whatever user agent and address a client sends', async () => {
    const { call, recorder } = await start();
    const headers = { 'user-agent': 'x'.repeat(3_000), 'x-real-ip': '"},{' };
    await call('GET', `${COLLECTION}?access_token=sesame&limit=1`, { headers });
    expect(recorder.events[0]?.userAgent).toBe(`${'x'.repeat(1024)}...TRUNCATED`);
    expect(recorder.events[0]?.sourceIPs).toEqual(['127.0.0.1']);
    expect(recorder.events[0]?.requestURI).toBe(`${COLLECTION}?access_token=**REDACTED**&limit=1`);
  });
});

describe('the objects in audit events', () => {
  const lastOf = async (method: string, url: string, request: InMemoryRequest, options?: Options) => {
    const { call, recorder } = await created(options);
    await call(method, url, request);
    return recorder.events.at(-1);
  };

  it('add uid and resource version to the reference of an update', async () => {
    const { call, recorder } = await created();
    const stored = JSON.parse((await call('GET', ITEM)).text) as typeof CONFIG_MAP & {
      metadata: { uid: string; resourceVersion: string };
    };
    await call('PUT', ITEM, { body: stored });
    const { uid, resourceVersion } = stored.metadata;
    expect(recorder.events.at(-1)?.objectRef).toEqual({
      resource: 'configmaps',
      namespace: 'a',
      name: 'c',
      uid,
      apiVersion: 'v1',
      resourceVersion,
    });
  });

  it.each([
    ['application/merge-patch+json', { data: { k: null } }],
    ['application/json-patch+json', [{ op: 'remove', path: '/data/k' }]],
  ])('contain a patch as it was sent (%s)', async (type, patch) => {
    const event = await lastOf('PATCH', ITEM, {
      headers: { 'content-type': type },
      body: JSON.stringify(patch),
    });
    expect(event?.requestObject).toEqual(patch);
    expect(event?.responseStatus).toEqual({ metadata: {}, code: 200 });
  });

  it('contain an applied YAML configuration as JSON', async () => {
    const event = await lastOf('PATCH', `${ITEM}?fieldManager=m`, {
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: 'apiVersion: v1\nkind: ConfigMap\ndata: {x: z}\n',
    });
    expect(event?.requestObject).toEqual({ apiVersion: 'v1', kind: 'ConfigMap', data: { x: 'z' } });
  });

  it('contain the options of a delete, if there are any, and its Status', async () => {
    const event = await lastOf('DELETE', ITEM, { body: { gracePeriodSeconds: 0 } });
    expect(event?.requestObject).toEqual({ kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0 });
    expect(event?.responseStatus).toMatchObject({ status: 'Success', code: 200, details: { name: 'c' } });
    expect((await lastOf('DELETE', ITEM, {}))?.requestObject).toBeUndefined();
  });

  it('contain the options of a deletecollection and the list of deleted objects', async () => {
    const event = await lastOf('DELETE', COLLECTION, { body: { propagationPolicy: 'Background' } });
    expect(event?.verb).toBe('deletecollection');
    expect(event?.requestObject).toMatchObject({ propagationPolicy: 'Background' });
    expect(event?.responseObject).toMatchObject({
      kind: 'ConfigMapList',
      items: [{ metadata: { name: 'c' } }],
    });
  });

  it('contain JSON for a protobuf request and response', async () => {
    const event = await lastOf('POST', COLLECTION, {
      headers: {
        'content-type': kubernetesVocabulary.protobufMediaType,
        accept: kubernetesVocabulary.protobufMediaType,
      },
      body: encodeObject(ConfigMap, { ...CONFIG_MAP, metadata: { name: 'd' } }),
    });
    expect(event?.requestObject).toMatchObject({
      kind: 'ConfigMap',
      metadata: { name: 'd' },
      data: { k: 'v' },
    });
    expect(event?.responseObject).toMatchObject({
      kind: 'ConfigMap',
      metadata: { name: 'd', namespace: 'a' },
    });
    expect(event?.responseStatus?.code).toBe(201);
  });

  it('have no managed fields if the policy omits them, in lists and Tables too', async () => {
    const options = { policy: 'omitManagedFields: true\nrules: [{level: RequestResponse}]' };
    const table = { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } };
    for (const [url, request] of [
      [ITEM, {}],
      [COLLECTION, {}],
      [COLLECTION, table],
    ] as const) {
      const event = await lastOf('GET', url, request, options);
      expect(JSON.stringify(event?.responseObject)).toContain('"name":"c"');
      expect(JSON.stringify(event?.responseObject)).not.toContain('managedFields');
    }
    expect(JSON.stringify((await lastOf('GET', ITEM, {}))?.responseObject)).toContain('managedFields');
  });

  it('are omitted for confidential kinds at every level', async () => {
    const { call, recorder } = await start();
    const body = { spec: { token: 'sesame' } };
    const { text } = await call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { body });
    expect(text).toContain('"authenticated":true');
    const value = Buffer.from('sesame').toString('base64');
    const secret = { metadata: { name: 'a' }, data: { password: value } };
    const secrets = '/api/v1/namespaces/a/secrets';
    expect((await call('POST', secrets, { body: secret })).status).toBe(201);
    expect((await call('GET', secrets)).text).toContain(value);
    const about = recorder.events.filter(({ objectRef }) =>
      ['secrets', 'tokenreviews'].includes(objectRef?.resource ?? ''),
    );
    expect(about.length).toBeGreaterThan(2);
    for (const event of about) {
      expect(event).toMatchObject({ level: 'Metadata' });
      expect(event).not.toHaveProperty('requestObject');
      expect(event).not.toHaveProperty('responseObject');
    }
    expect(JSON.stringify(recorder.events)).not.toMatch(new RegExp(`sesame|${value}`));
  });
});

describe('an audit back end', () => {
  it('that loses the first event of a request fails the request before any work', async () => {
    let stored = true;
    const { backend } = createRecorder(() => Promise.resolve(stored));
    const { call, metric } = await start({ backend });
    stored = false;
    const refused = await call('POST', COLLECTION, { body: CONFIG_MAP });
    expect(refused.status).toBe(500);
    expect(refused.text).toContain('failed to store audit event');
    expect(await metric('apiserver_audit_requests_rejected_total')).toEqual([
      'apiserver_audit_requests_rejected_total 1',
    ]);
    stored = true;
    expect((await call('GET', ITEM)).status).toBe(404);
  });

  it('has every event after the server has stopped, including batched ones', async () => {
    const lines: string[] = [];
    let closed = false;
    const clock = createSimulatedClock();
    const backend = createBatching({
      backend: createLogBackend({
        sink: {
          write: (line) => void lines.push(line.toString()),
          close: () => Promise.resolve(void (closed = true)),
        },
        format: 'json',
        vocabulary: kubernetesVocabulary,
        lost: () => {},
      }),
      clock,
      lost: () => {},
      bufferSize: 1_000,
      maxSize: 400,
      maxWaitMs: 30_000,
      concurrent: false,
    });
    const { call, server } = await start({ backend, policy: 'rules: [{level: Metadata}]' });
    const ids = await Promise.all(Array.from({ length: 50 }, () => call('GET', COLLECTION)));
    expect(lines).toEqual([]);
    await server.stop();
    const complete = lines
      .map((line) => JSON.parse(line) as { readonly auditID: string; readonly stage: string })
      .filter(({ stage }) => stage === 'ResponseComplete')
      .map(({ auditID }) => auditID);
    expect(complete).toEqual(expect.arrayContaining(ids.map(({ id }) => id)));
    expect(complete).toHaveLength(51);
    expect(closed).toBe(true);
  });
});
