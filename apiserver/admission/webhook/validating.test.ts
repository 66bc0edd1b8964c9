import { describe, expect, it } from 'vitest';
import {
  CONFIG_MAPS,
  type Behaviour,
  allow,
  configMap,
  patching,
  rule,
  startWebhooks,
  webhook,
} from './webhook.fixture.ts';

const NAME = '"hook.example.com"';
const failed = (why: string): string =>
  `Internal error occurred: failed calling webhook ${NAME}: failed to call webhook: ${why}`;
const invalid = (why: string): string =>
  `Internal error occurred: failed calling webhook ${NAME}: received invalid webhook response: ${why}`;
const http = (status: number, body: string): object => ({ status, headers: {}, body: Buffer.from(body) });

/** Returns the response to the creation of a ConfigMap with one webhook. */
async function decide(behaviour: Behaviour, changes: object = {}, query = '') {
  const started = await startWebhooks({ hook: behaviour });
  await started.configure('Validating', 'v', webhook('hook', changes));
  const answer = await started.call('POST', `${CONFIG_MAPS}${query}`, configMap('c'));
  const { text } = await started.call('GET', '/metrics');
  const metric = (name: string): string[] =>
    text.split('\n').filter((line) => line.startsWith(`apiserver_admission_webhook_${name}{`));
  return { ...started, ...answer, metric };
}

describe('denial by a validating webhook', () => {
  it.each([
    [{ allowed: false }, 400, `admission webhook ${NAME} denied the request without explanation`, undefined],
    [
      { allowed: false, status: { code: 403, message: 'not today', reason: 'Forbidden' } },
      403,
      `admission webhook ${NAME} denied the request: not today`,
      'Forbidden',
    ],
    [
      { allowed: false, status: { reason: 'Because' } },
      400,
      `admission webhook ${NAME} denied the request: Because`,
      'Because',
    ],
    [
      { allowed: false, status: { code: 200, message: 'all is well' } },
      400,
      `admission webhook ${NAME} denied the request: all is well`,
      undefined,
    ],
    [{ allowed: false, status: { code: 123_456 } }, 400, /without explanation$/, undefined],
  ])('with the response %j becomes an error response', async (response, code, message, reason) => {
    const { status, json, metric } = await decide(() => response, { failurePolicy: 'Ignore' });
    expect(status).toBe(code);
    expect(json).toMatchObject({ kind: 'Status', status: 'Failure', code });
    expect(json['message']).toMatch(message);
    expect(json['reason']).toBe(reason);
    expect(metric('rejection_count')).toEqual([
      `apiserver_admission_webhook_rejection_count{error_type="no_error",name="hook.example.com",operation="CREATE",rejection_code="${code}",type="validating"} 1`,
    ]);
  });

  it('includes the warnings of the webhook', async () => {
    const { header } = await decide(() => ({ allowed: true, warnings: ['mind "the" gap'] }));
    expect(header('warning')).toBe('299 - "mind \\"the\\" gap"');
  });
});

describe('webhook without a usable response', () => {
  const rows: readonly [string, Behaviour, string][] = [
    ['a 404 response', () => http(404, ''), failed('the server could not find the requested resource')],
    [
      'an HTML page',
      () => http(200, '<html>'),
      failed(
        "couldn't get version/kind; json parse error: invalid character '<' looking for beginning of value",
      ),
    ],
    [
      'a redirect',
      () => ({ status: 307, headers: { location: 'https://10.0.0.1/' }, body: Buffer.from('') }),
      failed('the server responded with the status code 307 but did not return more information'),
    ],
    [
      'another uid',
      () => ({ allowed: true, uid: 'x' }),
      invalid('expected response.uid="00000000", got "x"'),
    ],
    ['no response', () => http(200, '{"kind":"AdmissionReview"}'), invalid('webhook response was absent')],
    [
      'no kind',
      (review) => http(200, JSON.stringify({ response: { uid: review.request.uid, allowed: true } })),
      invalid('expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind='),
    ],
    [
      'a patch',
      patching({ op: 'add', path: '/data', value: {} }),
      invalid('validating webhook may not return response.patch'),
    ],
    [
      'a patch type',
      () => ({ allowed: true, patchType: 'JSONPatch' }),
      invalid('validating webhook may not return response.patchType'),
    ],
    [
      'a string for a boolean',
      () => ({ allowed: 'yes' }),
      failed(
        'json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool',
      ),
    ],
  ];

  it.each(rows)(
    'fails the request because of %s, unless its failure policy is Ignore',
    async (_what, behaviour, message) => {
      const { status, json, metric } = await decide(behaviour);
      const shown = String(json['message']).replace(/uid="[0-9a-f-]{36}"/, 'uid="00000000"');
      expect({ status, shown }).toEqual({ status: 500, shown: message });
      expect(metric('rejection_count')[0]).toContain('error_type="calling_webhook_error"');
      const open = await decide(behaviour, { failurePolicy: 'Ignore' });
      expect(open.status).toBe(201);
      expect(open.notes.get('failed-open.validating.webhook.admission.k8s.io/round_0_index_0')).toBe(
        'hook.example.com',
      );
      expect(open.metric('fail_open_count')).toEqual([
        'apiserver_admission_webhook_fail_open_count{name="hook.example.com",type="validating"} 1',
      ]);
      expect(open.metric('rejection_count')).toEqual([]);
    },
  );

  it('is aborted after its timeout', async () => {
    const started = await startWebhooks({ hook: () => new Promise<object>(() => {}) });
    await started.configure('Validating', 'v', webhook('hook', { timeoutSeconds: 3 }));
    const answer = started.call('POST', CONFIG_MAPS, configMap('c'));
    await started.eventually(() => started.reviews.length === 1);
    await started.clock.advance(2_999);
    let done = false;
    void answer.then(() => (done = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).toBe(false);
    await started.clock.advance(1);
    expect((await answer).json['message']).toBe(
      failed('Post "https://hook/?timeout=3s": context deadline exceeded'),
    );
  });
});

describe('validating webhooks', () => {
  it('are called concurrently, and each can reject the request', async () => {
    const waiting: (() => void)[] = [];
    const slow =
      (answer: object): Behaviour =>
      () =>
        new Promise((resolve) => void waiting.push(() => resolve(answer)));
    const { configure, call, eventually } = await startWebhooks({
      one: slow({ allowed: true }),
      two: slow({ allowed: false }),
      three: slow({ allowed: false }),
    });
    await configure('Validating', 'v', webhook('one'), webhook('two'), webhook('three'));
    const answer = call('POST', CONFIG_MAPS, configMap('c'));
    await eventually(() => waiting.length === 3);
    for (const go of waiting.reverse()) go();
    expect((await answer).json['message']).toContain('"two.example.com" denied');
  });

  it('receive the object as stored, after all mutations', async () => {
    const { configure, call, reviews } = await startWebhooks({
      change: patching({ op: 'add', path: '/data', value: { a: 'b' } }),
      look: allow,
    });
    await configure('Validating', 'v', webhook('look'));
    await configure('Mutating', 'm', webhook('change'));
    await call('POST', CONFIG_MAPS, configMap('c'));
    expect(reviews.at(-1)?.request.object).toMatchObject({
      data: { a: 'b' },
      metadata: { uid: expect.any(String) as string, creationTimestamp: expect.any(String) as string },
    });
  });

  it.each([
    ['Some', 400, 0],
    ['Unknown', 400, 0],
    ['None', 201, 1],
    ['NoneOnDryRun', 201, 1],
  ])('with side effects %s make a dry run return %i', async (sideEffects, code, calls) => {
    const { call, reviews } = await startWebhooks({ hook: allow });
    const path = '/apis/admissionregistration.k8s.io/v1beta1/validatingwebhookconfigurations';
    const stored = await call('POST', path, {
      metadata: { name: 'v' },
      webhooks: [webhook('hook', { sideEffects, failurePolicy: 'Ignore' })],
    });
    expect(stored.status).toBe(201);
    const { status, json } = await call('POST', `${CONFIG_MAPS}?dryRun=All`, configMap('c'));
    expect({ status, calls: reviews.length }).toEqual({ status: code, calls });
    if (code === 400) expect(json['message']).toBe(`admission webhook ${NAME} does not support dry run`);
  });

  it('match a namespace by its new labels, and its objects by its current labels', async () => {
    const { configure, call, reviews } = await startWebhooks({ hook: allow });
    await configure(
      'Validating',
      'v',
      webhook('hook', {
        rules: [rule(['namespaces', 'configmaps', 'nodes'])],
        namespaceSelector: { matchLabels: { team: 'b' } },
      }),
    );
    await call('POST', '/api/v1/namespaces', { metadata: { name: 'b', labels: { team: 'b' } } });
    await call('POST', CONFIG_MAPS, configMap('c'));
    await call('POST', '/api/v1/namespaces/b/configmaps', configMap('c'));
    // Cluster-scoped objects match every namespace selector.
    await call('POST', '/api/v1/nodes', { metadata: { name: 'n' } });
    await call('DELETE', '/api/v1/namespaces/b');
    expect(reviews.map(({ request }) => [request.operation, request['namespace'], request['name']])).toEqual([
      ['CREATE', 'b', 'b'],
      ['CREATE', 'b', 'c'],
      ['CREATE', undefined, 'n'],
      ['DELETE', 'b', 'b'],
    ]);
    expect((await call('POST', '/api/v1/namespaces/gone/configmaps', configMap('c'))).status).toBe(404);
  });

  it('match by the new or the old labels of an object', async () => {
    const { configure, call, reviews } = await startWebhooks({ hook: allow });
    await configure('Validating', 'v', webhook('hook', { objectSelector: { matchLabels: { watch: 'me' } } }));
    const labelled = configMap('c', { metadata: { name: 'c', labels: { watch: 'me' } } });
    await call('POST', CONFIG_MAPS, configMap('c'));
    await call('PUT', `${CONFIG_MAPS}/c`, labelled);
    await call('PUT', `${CONFIG_MAPS}/c`, configMap('c'));
    await call('PUT', `${CONFIG_MAPS}/c`, configMap('c', { data: { a: 'b' } }));
    expect(reviews.map(({ request }) => request.operation)).toEqual(['UPDATE', 'UPDATE']);
  });

  it('are called for reviews, which are created but not stored', async () => {
    const { configure, call, reviews } = await startWebhooks({ hook: allow });
    await configure('Validating', 'v', webhook('hook', { rules: [rule(['pods/eviction'])] }));
    await call('POST', '/api/v1/namespaces/default/pods', {
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    await call('POST', '/api/v1/namespaces/default/pods/p/eviction', { metadata: { name: 'p' } });
    expect(reviews.map(({ request }) => request)).toMatchObject([
      {
        operation: 'CREATE',
        subResource: 'eviction',
        kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
        resource: { group: '', version: 'v1', resource: 'pods' },
        object: { kind: 'Eviction', metadata: { name: 'p' } },
      },
    ]);
  });
});

describe('match policy', () => {
  const budgets = '/apis/policy/v1beta1/namespaces/default/poddisruptionbudgets';
  const rules = [rule(['poddisruptionbudgets'], { apiGroups: ['policy'], apiVersions: ['v1'] })];
  const budget = { metadata: { name: 'b' }, spec: { minAvailable: 1 } };

  it('Equivalent converts a request of another version to the version in the rule', async () => {
    const change = patching({ op: 'add', path: '/metadata/labels', value: { seen: 'v1' } });
    const { configure, call, reviews } = await startWebhooks({ hook: change });
    await configure('Mutating', 'm', webhook('hook', { rules }));
    const { json } = await call('POST', budgets, budget);
    expect(json).toMatchObject({ apiVersion: 'policy/v1beta1', metadata: { labels: { seen: 'v1' } } });
    expect(reviews[0]?.request).toMatchObject({
      kind: { group: 'policy', version: 'v1', kind: 'PodDisruptionBudget' },
      resource: { version: 'v1', resource: 'poddisruptionbudgets' },
      requestKind: { version: 'v1beta1' },
      requestResource: { version: 'v1beta1' },
      object: { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
    });
  });

  it('Equivalent matches groups that serve the same objects', async () => {
    const { configure, call, reviews } = await startWebhooks({ hook: allow });
    const only = [rule(['events'], { apiGroups: ['events.k8s.io'], apiVersions: ['v1'] })];
    await configure('Validating', 'v', webhook('hook', { rules: only }));
    const { status } = await call('POST', '/api/v1/namespaces/default/events', {
      metadata: { name: 'e' },
      involvedObject: { namespace: 'default', name: 'x', kind: 'Pod' },
      reason: 'Why',
      message: 'told',
    });
    expect(status).toBe(201);
    expect(reviews[0]?.request).toMatchObject({
      kind: { group: 'events.k8s.io', version: 'v1', kind: 'Event' },
      object: { apiVersion: 'events.k8s.io/v1', note: 'told', regarding: { kind: 'Pod' } },
    });
  });

  it('Exact matches only the versions in the rules', async () => {
    const { configure, call, reviews } = await startWebhooks({ hook: allow });
    await configure('Validating', 'v', webhook('hook', { rules, matchPolicy: 'Exact' }));
    await call('POST', budgets, budget);
    expect(reviews).toEqual([]);
  });
});
