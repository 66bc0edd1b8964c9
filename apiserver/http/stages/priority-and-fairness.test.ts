import { describe, expect, it } from 'vitest';
import { flowSchemas, priorityLevelConfigurations } from '../../../api/groups/flowcontrol-v1beta2.ts';
import { deleting, writing } from '../../registry/registry.fixture.ts';
import { createInMemoryCaller } from '../in-memory.ts';
import { type Answer, type LimitedServer, startLimitedServer } from './priority-and-fairness.fixture.ts';

/** Limits that give global-default, with 20 of 245 shares, two seats. */
const SMALL = { maxInFlight: 16, maxMutatingInFlight: 8, fair: true };
const SECRET = '/api/v1/namespaces/default/secrets/s';
const PROPER = '/apis/flowcontrol.apiserver.k8s.io/v1beta2';
const ROOT = 'root system:masters';
const HEADERS = ['x-kubernetes-pf-flowschema-uid', 'x-kubernetes-pf-prioritylevel-uid'];

interface Stored {
  readonly metadata: { readonly uid: string };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

async function stored(limited: LimitedServer, path: string): Promise<Stored> {
  return JSON.parse((await limited.call(ROOT, 'GET', `${PROPER}/${path}`)).text) as Stored;
}

/** Sends `count` requests at once. */
const send = (limited: LimitedServer, who: string, count: number): Promise<readonly Answer[]> =>
  Promise.all(Array.from({ length: count }, () => limited.call(who, 'GET', SECRET)));

/** Sends `count` requests at once and advances the clock until all are served. */
async function burst(limited: LimitedServer, who: string, count: number): Promise<readonly Answer[]> {
  const answers = send(limited, who, count);
  let done = false;
  void answers.then(() => (done = true));
  await limited.clock.advanceUntil(() => done);
  return answers;
}

describe('every response', () => {
  it.each([
    ['alice', 'GET', '/version', 'global-default', 'global-default', 200],
    ['mallory', 'GET', '/version', 'global-default', 'global-default', 403],
    [ROOT, 'GET', '/version', 'exempt', 'exempt', 200],
    ['alice', 'GET', '/healthz', 'probes', 'exempt', 200],
    ['system:node:n system:nodes', 'GET', '/api/v1/pods', 'system-nodes', 'system', 200],
  ])(
    'to %s %s %s names FlowSchema %s and priority level %s by uid',
    async (who, method, url, schema, level, status) => {
      const limited = await startLimitedServer(SMALL);
      const answer = await limited.call(who, method, url);
      const schemaUid = (await stored(limited, `flowschemas/${schema}`)).metadata.uid;
      const levelUid = (await stored(limited, `prioritylevelconfigurations/${level}`)).metadata.uid;
      expect([answer.status, ...HEADERS.map((name) => answer.header(name))]).toEqual([
        status,
        schemaUid,
        levelUid,
      ]);
    },
  );

  it('has plain text, Retry-After and both uids for a rejected request', async () => {
    const limited = await startLimitedServer(SMALL);
    // Two requests run, and 6 of the 128 queues hold 50 requests each.
    const answers = await burst(limited, 'alice', 400);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.text).toBe('Too many requests, please try again later.\n');
    expect(refused?.header('retry-after')).toBe('1');
    expect(refused?.header('content-type')).toBe('text/plain; charset=utf-8');
    for (const name of HEADERS) expect(refused?.header(name)).toMatch(/^[0-9a-f-]{36}$/);
    const counted = await limited.metrics('apiserver_dropped_requests', 'apiserver_request_terminations');
    expect(counted).toEqual([
      'apiserver_dropped_requests_total{request_kind="mutating"} 0',
      'apiserver_dropped_requests_total{request_kind="readOnly"} 100',
      expect.stringMatching(/code="429",.*resource="secrets",scope="resource",.*verb="GET",.*} 100$/),
    ]);
  });
});

describe('a request', () => {
  it('that waits is served when earlier requests are done', async () => {
    const limited = await startLimitedServer(SMALL);
    const started = limited.clock.monotonic();
    const answers = await burst(limited, 'alice', 6);
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(6).fill(404));
    expect(limited.clock.monotonic() - started).toBe(300);
  });

  it('waits for at most a quarter of its timeout', async () => {
    const limited = await startLimitedServer(SMALL, { serviceMs: 20_000 });
    const started = limited.clock.monotonic();
    const running = [limited.call('alice', 'GET', SECRET), limited.call('alice', 'GET', SECRET)];
    let refused: Answer | undefined;
    void limited.call('bob', 'GET', SECRET).then((answer) => (refused = answer));
    await limited.clock.advanceUntil(() => refused !== undefined);
    expect([refused?.status, limited.clock.monotonic() - started]).toEqual([429, 15_000]);
    await limited.clock.advance(10_000);
    for (const each of running) expect((await each).status).toBe(404);
  });

  it('is removed from its queue when the client disconnects', async () => {
    const limited = await startLimitedServer(SMALL);
    const running = [limited.call('alice', 'GET', SECRET), limited.call('alice', 'GET', SECRET)];
    const leaving = new AbortController();
    const gone = limited.call('bob', 'GET', SECRET, { signal: leaving.signal });
    await limited.clock.advance(10);
    const inQueue = 'apiserver_flowcontrol_current_inqueue_requests{';
    expect(await limited.metrics(inQueue)).toEqual([expect.stringMatching(/global-default.* 1$/)]);
    leaving.abort();
    expect((await gone).status).toBe(429);
    expect(await limited.metrics(inQueue, 'apiserver_flowcontrol_rejected')).toEqual([
      expect.stringMatching(/ 0$/),
      expect.stringMatching(/reason="cancelled".* 1$/),
    ]);
    await limited.clock.advance(100);
    await Promise.all(running);
  });

  it('never waits if the user is an administrator', async () => {
    const limited = await startLimitedServer(SMALL);
    const started = limited.clock.monotonic();
    const answers = await burst(limited, ROOT, 100);
    expect(answers.every(({ status }) => status === 404)).toBe(true);
    expect(limited.clock.monotonic() - started).toBe(100);
  });
});

describe('a watch', () => {
  const ENOUGH = 30;

  it('holds its seat until it has sent the initial objects, and no longer', async () => {
    const limited = await startLimitedServer(SMALL);
    const caller = createInMemoryCaller(limited.server.handler);
    const open = () => caller.request('GET', '/api/v1/pods?watch=1', { headers: { user: 'alice' } });
    const watches = await Promise.all(Array.from({ length: ENOUGH }, open));
    expect(watches.map(({ status }) => status)).toEqual(Array<number>(ENOUGH).fill(200));
    const [line] = await limited.metrics('apiserver_flowcontrol_request_concurrency_in_use{');
    expect(line).toMatch(/global-default.* 0$/);
  });

  it('raises the cost of writes that it receives, until it ends', async () => {
    const limited = await startLimitedServer(SMALL);
    const leaving = new AbortController();
    const caller = createInMemoryCaller(limited.server.handler);
    for (let at = 0; at < ENOUGH; at++)
      await caller.request('GET', '/api/v1/configmaps?watch=1', {
        headers: { user: 'alice' },
        signal: leaving.signal,
      });
    const url = '/api/v1/namespaces/default/configmaps/none';
    const widths = 'apiserver_flowcontrol_work_estimated_seats_sum{';
    const widthOfWrite = async (): Promise<number> => {
      const sum = async () => Number((await limited.metrics(widths))[0]?.split(' ')[1] ?? 0);
      const before = await sum();
      await limited.call('alice', 'DELETE', url);
      await limited.clock.advance(100);
      return (await sum()) - before;
    };
    expect(await widthOfWrite()).toBe(3);
    leaving.abort();
    expect(await widthOfWrite()).toBe(1);
  });
});

describe('a change of the flow-control objects', () => {
  const level = (name: string, shares: number) => ({
    metadata: { name },
    spec: {
      type: 'Limited',
      limited: { assuredConcurrencyShares: shares, limitResponse: { type: 'Reject' } },
    },
  });
  const schema = (name: string, to: string) => ({
    metadata: { name },
    spec: {
      priorityLevelConfiguration: { name: to },
      matchingPrecedence: 50,
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: 'alice' } }],
          resourceRules: [
            { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] },
          ],
        },
      ],
    },
  });

  it('applies to the next request', async () => {
    const limited = await startLimitedServer(SMALL);
    await limited.call(ROOT, 'POST', `${PROPER}/prioritylevelconfigurations`, { body: level('strict', 1) });
    await limited.call(ROOT, 'POST', `${PROPER}/flowschemas`, { body: schema('strict', 'strict') });
    const answers = await burst(limited, 'alice', 3);
    expect(answers.map(({ status }) => status).sort()).toEqual([404, 429, 429]);
  });

  it('that leaves a FlowSchema without its priority level is reported in the status of the FlowSchema, which is then ignored', async () => {
    const limited = await startLimitedServer(SMALL);
    await limited.call(ROOT, 'POST', `${PROPER}/flowschemas`, { body: schema('lost', 'nowhere') });
    const dangling = async () => (await stored(limited, 'flowschemas/lost')).status?.conditions?.[0];
    await limited.clock.advance(1);
    expect(await dangling()).toMatchObject({
      type: 'Dangling',
      status: 'True',
      reason: 'NotFound',
      message:
        'This FlowSchema references the PriorityLevelConfiguration object named "nowhere" but there is no such object',
    });
    const uid = (await stored(limited, 'flowschemas/global-default')).metadata.uid;
    expect((await limited.call('alice', 'GET', SECRET_FREE)).header(HEADERS[0] ?? '')).toBe(uid);
    await limited.call(ROOT, 'POST', `${PROPER}/prioritylevelconfigurations`, { body: level('nowhere', 9) });
    await limited.clock.advance(10_000);
    expect(await dangling()).toMatchObject({ status: 'False', reason: 'Found' });
  });

  const SECRET_FREE = '/api/v1/namespaces/default/pods/p';

  it('that deletes a priority level lets its running and queued requests complete', async () => {
    const limited = await startLimitedServer(SMALL);
    const answers = send(limited, 'system:node:n system:nodes', 12);
    await limited.server.registry.of(priorityLevelConfigurations).delete('', 'system', deleting(), writing());
    await limited.clock.advance(1);
    const table = await limited.call(ROOT, 'GET', '/debug/api_priority_and_fairness/dump_priority_levels');
    expect(table.text).toMatch(/^system, +\d+, +false, +true, +\d+, +3$/m);
    await limited.clock.advance(400);
    expect((await answers).map(({ status }) => status)).toEqual(Array<number>(12).fill(404));
    const after = await limited.call(ROOT, 'GET', '/debug/api_priority_and_fairness/dump_priority_levels');
    expect(after.text).not.toMatch(/^system, /m);
  });

  it('that deletes default objects is reverted within ten seconds', async () => {
    const limited = await startLimitedServer(SMALL);
    const { registry } = limited.server;
    await registry.of(flowSchemas).delete('', 'exempt', deleting(), writing());
    await registry.of(priorityLevelConfigurations).delete('', 'catch-all', deleting(), writing());
    // Until then, the deleted objects stay in force.
    expect((await burst(limited, ROOT, 50)).every(({ status }) => status === 404)).toBe(true);
    await limited.clock.advance(10_000);
    expect((await stored(limited, 'flowschemas/exempt')).metadata.uid).toMatch(/-/);
    expect((await stored(limited, 'prioritylevelconfigurations/catch-all')).metadata.uid).toMatch(/-/);
  });
});

describe('the debug tables', () => {
  it('list levels, queues and waiting requests for authorized users', async () => {
    const limited = await startLimitedServer(SMALL);
    const answers = send(limited, 'alice', 3);
    await limited.clock.advance(1);
    const table = async (name: string): Promise<string> =>
      (await limited.call(ROOT, 'GET', `/debug/api_priority_and_fairness/${name}`)).text;
    const levels = await table('dump_priority_levels');
    expect(levels).toMatch(
      /^PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests$/m,
    );
    expect(levels).toMatch(/^exempt, +<none>, +<none>, <none>, +<none>, +<none>$/m);
    expect(levels).toMatch(/^global-default, +1, +false, +false, +1, +2$/m);
    expect(await table('dump_queues')).toMatch(
      /^global-default, +\d+, +1, +0, +0, +\d+\.\d{8}ss, +1, +1, +0\.00300000ss$/m,
    );
    const requests = await table('dump_requests?includeRequestDetails=1');
    expect(requests).toMatch(
      /^global-default, +global-default, +\d+, +0, +alice, +2026-01-01T00:00:00Z, +1, +0, +0s, +alice, +get, +\/api\/v1\/namespaces\/default\/secrets\/s, default, +s, +v1, +secrets, +$/m,
    );
    expect((await limited.call(ROOT, 'GET', '/debug/api_priority_and_fairness/other')).status).toBe(404);
    await limited.clock.advance(200);
    await answers;
    expect(
      (await limited.call('mallory', 'GET', '/debug/api_priority_and_fairness/dump_queues')).status,
    ).toBe(403);
  });
});

describe('the limits without priorities', () => {
  const PLAIN = { maxInFlight: 2, maxMutatingInFlight: 1, fair: false };

  it('reject reads above the limit', async () => {
    const limited = await startLimitedServer(PLAIN);
    const answers = await burst(limited, 'alice', 4);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 429, 429]);
    expect(answers[0]?.header(HEADERS[0] ?? '')).toBeUndefined();
  });

  it('do not apply to administrators and watches', async () => {
    const limited = await startLimitedServer(PLAIN);
    const running = [limited.call('alice', 'GET', SECRET), limited.call('alice', 'GET', SECRET)];
    const admin = limited.call(ROOT, 'GET', '/version');
    expect((await admin).status).toBe(200);
    const caller = createInMemoryCaller(limited.server.handler);
    const watch = await caller.request('GET', '/api/v1/pods?watch=1', { headers: { user: 'alice' } });
    expect(watch.status).toBe(200);
    await limited.clock.advance(100);
    await Promise.all(running);
  });

  it('treat 0 as no limit', async () => {
    const limited = await startLimitedServer({ maxInFlight: 0, maxMutatingInFlight: 0, fair: false });
    expect((await burst(limited, 'alice', 50)).every(({ status }) => status === 404)).toBe(true);
  });
});

it('a server rejects limits that add up to 0 at startup', async () => {
  await expect(startLimitedServer({ maxInFlight: 0, maxMutatingInFlight: 0, fair: true })).rejects.toThrow(
    'must add up to more than 0',
  );
});
