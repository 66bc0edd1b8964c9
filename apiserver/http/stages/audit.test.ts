import { describe, expect, it } from 'vitest';
import { kubernetesVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../../base/clock/simulated.ts';
import { createRecorder } from '../../audit/audit.fixture.ts';
import { createLogBackend } from '../../audit/log-backend.ts';
import { createBatching } from '../../audit/batching.ts';
import { COLLECTION, CONFIG_MAP, ITEM, start } from './audit-server.fixture.ts';

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
    'include at level %s the request object (%s) and the response object (%s)',
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

  it('record a failed authentication once, with neither user nor credential', async () => {
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

  it.each(['RequestReceived', 'ResponseComplete'])(
    'omit the stage %s if the policy omits it',
    async (stage) => {
      const { call, recorder } = await start({
        policy: `omitStages: [${stage}]\nrules: [{level: Metadata}]`,
      });
      await call('GET', COLLECTION);
      expect(recorder.events).toHaveLength(1);
      expect(recorder.events[0]?.stage).not.toBe(stage);
    },
  );

  it('have the audit id that the client sends', async () => {
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

describe('an audit back end', () => {
  it('that loses the first event of a request causes the request to fail before any work', async () => {
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

  it('has received every event after the server has stopped, including batched events', async () => {
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
