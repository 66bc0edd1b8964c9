import { describe, expect, it } from 'vitest';
import { WIDGETS, widget, widgets } from '../../extensions/extensions.fixture.ts';
import type { AdmissionPlugin } from '../../request.ts';
import { CONFIG_MAPS, allow, configMap, patching, rule, startWebhooks, webhook } from './webhook.fixture.ts';

const add = (path: string, value: unknown): object => ({ op: 'add', path, value });
const note = (round: number, index: number): string =>
  `mutation.webhook.admission.k8s.io/round_${round}_index_${index}`;

describe('mutating webhook', () => {
  it('receives the request unchanged, and its changed object is stored', async () => {
    const { configure, call, reviews } = await startWebhooks({ hook: patching(add('/data', { a: 'b' })) });
    await configure('Mutating', 'm', webhook('hook', { timeoutSeconds: 7 }));
    const { status, json } = await call('POST', `${CONFIG_MAPS}?fieldManager=me&dryRun=All`, configMap('c'));
    expect(status).toBe(201);
    expect(json).toMatchObject({ kind: 'ConfigMap', data: { a: 'b' } });
    expect(reviews).toHaveLength(1);
    const [{ url, request, apiVersion } = {} as never] = reviews;
    expect(url).toBe('/?timeout=7s');
    expect(apiVersion).toBe('admission.k8s.io/v1');
    expect(request).toEqual({
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
      requestResource: { group: '', version: 'v1', resource: 'configmaps' },
      name: 'c',
      namespace: 'default',
      operation: 'CREATE',
      userInfo: { username: 'admin' },
      object: expect.objectContaining({ kind: 'ConfigMap', apiVersion: 'v1' }) as object,
      oldObject: null,
      dryRun: true,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', dryRun: ['All'], fieldManager: 'me' },
    });
  });

  it('receives a timeout no longer than the remaining time of the request', async () => {
    const { configure, call, reviews, clock } = await startWebhooks({
      first: () => clock.advance(1_500).then(() => ({ allowed: true })),
      second: () => ({ allowed: true }),
      third: () => ({ allowed: true }),
    });
    await configure(
      'Mutating',
      'm',
      webhook('first', { timeoutSeconds: 20 }),
      webhook('second', { timeoutSeconds: 20 }),
      webhook('third', { timeoutSeconds: 5 }),
    );
    const { status } = await call('POST', `${CONFIG_MAPS}?timeout=10s`, configMap('c'));
    expect(status).toBe(201);
    expect(reviews.map(({ url }) => url)).toEqual(['/?timeout=10s', '/?timeout=9s', '/?timeout=5s']);
  });

  it('receives the old object on update and deletion, and no object on deletion', async () => {
    const { configure, call, reviews } = await startWebhooks({ hook: allow });
    await call('POST', CONFIG_MAPS, configMap('c', { data: { a: '1' } }));
    await configure('Mutating', 'm', webhook('hook'));
    await call('PUT', `${CONFIG_MAPS}/c`, configMap('c', { data: { a: '2' } }));
    await call('DELETE', `${CONFIG_MAPS}/c`, { gracePeriodSeconds: 3 });
    const [update, deletion] = reviews.map(({ request }) => request);
    expect(update).toMatchObject({
      operation: 'UPDATE',
      object: { data: { a: '2' } },
      oldObject: { data: { a: '1' } },
      options: { kind: 'UpdateOptions' },
    });
    expect(deletion).toMatchObject({
      operation: 'DELETE',
      object: null,
      oldObject: { data: { a: '2' } },
      options: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', gracePeriodSeconds: 3 },
    });
  });

  it('is called for each object of a deleted collection, without a name in the request', async () => {
    const { configure, call, reviews } = await startWebhooks({ hook: allow });
    for (const name of ['a', 'b', 'c']) await call('POST', CONFIG_MAPS, configMap(name));
    await configure('Mutating', 'm', webhook('hook'));
    await call('DELETE', CONFIG_MAPS);
    expect(reviews.map(({ request: { name, oldObject } }) => ({ name, oldObject }))).toEqual(
      ['a', 'b', 'c'].map((name) => ({
        name: undefined,
        oldObject: expect.objectContaining({
          metadata: expect.objectContaining({ name }) as object,
        }) as object,
      })),
    );
  });

  it('receives the changes of earlier webhooks, in order of configuration name and list', async () => {
    const seen: unknown[] = [];
    const see = (review: { request: { object: Record<string, unknown> | null } }): object => {
      seen.push(review.request.object?.['data']);
      return { allowed: true };
    };
    const { configure, call, reviews } = await startWebhooks({
      one: patching(add('/data', { one: '1' })),
      two: patching(add('/data/two', '2')),
      three: see,
    });
    await configure('Mutating', 'b', webhook('three'));
    await configure('Mutating', 'a', webhook('one'), webhook('two'));
    await call('POST', CONFIG_MAPS, configMap('c'));
    expect(reviews.map(({ hook }) => hook)).toEqual(['one', 'two', 'three']);
    expect(seen).toEqual([{ one: '1', two: '2' }]);
  });

  it('is never called for webhook configurations, even its own', async () => {
    const { configure, call, reviews } = await startWebhooks({ hook: () => ({ allowed: false }) });
    await configure('Mutating', 'm', webhook('hook', { rules: [rule(['*/*'])] }));
    await configure('Validating', 'v', webhook('hook', { rules: [rule(['*/*'])] }));
    const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/m';
    expect((await call('DELETE', path)).status).toBe(200);
    expect(reviews).toEqual([]);
  });

  it('takes effect when its configuration is stored, and ends when its configuration is deleted', async () => {
    const { configure, call, reviews } = await startWebhooks({ hook: allow });
    await configure('Mutating', 'm', webhook('hook'));
    await call('POST', CONFIG_MAPS, configMap('a'));
    await call('DELETE', '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/m');
    await call('POST', CONFIG_MAPS, configMap('b'));
    expect(reviews).toHaveLength(1);
  });

  it('is followed by defaulting and pruning', async () => {
    const { configure, call } = await startWebhooks({
      hook: patching(add('/spec/containers/-', { name: 'side', image: 'x', unheardOf: 1 })),
    });
    await configure('Mutating', 'm', webhook('hook', { rules: [rule(['pods'])] }));
    const { json } = await call('POST', '/api/v1/namespaces/default/pods', {
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'main', image: 'x' }] },
    });
    const { containers } = json['spec'] as { containers: object[] };
    expect(containers[1]).toMatchObject({ name: 'side', imagePullPolicy: 'Always' });
    expect(containers[1]).not.toHaveProperty('unheardOf');
  });

  it.each([
    [add('/metadata/namespace', 'other'), 400, /does not match the namespace sent on the request/],
    [add('/data', 'text'), 500, /^Internal error occurred: /],
    [add('/nowhere/at/all', 1), 500, /^Internal error occurred: add operation does not apply/],
    [{ op: 'test', path: '/data', value: 1 }, 500, /^Internal error occurred: /],
    [
      { op: 'replace', path: '/kind', value: 'Secret' },
      500,
      /^Internal error occurred: unable to convert v1,/,
    ],
  ])('fails the request with the patch %j and status %i', async (operation, code, message) => {
    const { configure, call } = await startWebhooks({ hook: patching(operation) });
    await configure('Mutating', 'm', webhook('hook', { failurePolicy: 'Ignore' }));
    const { status, json } = await call('POST', CONFIG_MAPS, configMap('c'));
    expect({ status, message: json['message'] }).toEqual({
      status: code,
      message: expect.stringMatching(message) as string,
    });
  });

  it.each(['kind', 'apiVersion'])(
    'fails the request if its patch removes the %s of a custom resource',
    async (field) => {
      const { configure, call, define } = await startWebhooks({
        hook: patching({ op: 'remove', path: `/${field}` }),
      });
      await define(widgets());
      await configure('Mutating', 'm', webhook('hook', { rules: [rule(['widgets'])] }));
      const { status, json } = await call('POST', WIDGETS, widget('a'));
      expect([status, json['message']]).toEqual([
        500,
        expect.stringMatching(
          new RegExp(`^Internal error occurred: Object '${field}' is missing in '\\{.*\\}'$`, 'i'),
        ),
      ]);
    },
  );

  it('cannot expand an object by repeated copies', async () => {
    const copies = Array.from({ length: 40 }, () => ({ op: 'copy', from: '/data', path: '/data/x' }));
    const { configure, call } = await startWebhooks({
      hook: patching(add('/data', { x: { y: 'z'.repeat(1000) } }), ...copies),
    });
    await configure('Mutating', 'm', webhook('hook'));
    const { status, json } = await call('POST', CONFIG_MAPS, configMap('c'));
    expect(status).toBe(500);
    expect(json['message']).toMatch(/^Internal error occurred: /);
  });

  it('cannot change the object of a deletion', async () => {
    const { configure, call } = await startWebhooks({ hook: patching(add('/data', {})) });
    await call('POST', CONFIG_MAPS, configMap('c'));
    await configure('Mutating', 'm', webhook('hook'));
    expect((await call('DELETE', `${CONFIG_MAPS}/c`)).json).toMatchObject({
      code: 500,
      message:
        'Internal error occurred: admission webhook "hook.example.com" attempted to modify the object, which is not supported for this operation',
    });
  });

  it('is recorded in audit annotations, together with its own annotations', async () => {
    const operation = add('/data', { a: 'b' });
    const { configure, call, notes } = await startWebhooks({
      first: allow,
      second: () => ({
        ...patching(operation)(),
        auditAnnotations: { why: 'because', 'not/a name': 'x' },
      }),
    });
    await configure('Mutating', 'm', webhook('first'), webhook('second'));
    await call('POST', CONFIG_MAPS, configMap('c'));
    expect(Object.fromEntries(notes)).toEqual({
      [note(0, 0)]: '{"configuration":"m","webhook":"first.example.com","mutated":false}',
      [note(0, 1)]: '{"configuration":"m","webhook":"second.example.com","mutated":true}',
      'patch.webhook.admission.k8s.io/round_0_index_1': `{"configuration":"m","webhook":"second.example.com","patch":[${JSON.stringify(operation)}],"patchType":"JSONPatch"}`,
      'second.example.com/why': 'because',
    });
  });

  it('receives a v1beta1 review if it supports no other version', async () => {
    const { configure, call, reviews } = await startWebhooks({
      // A v1beta1 response may have any UID and no patch type.
      hook: () => ({ ...patching(add('/data', { a: 'b' }))(), uid: 'any', patchType: undefined }),
    });
    await configure('Mutating', 'm', webhook('hook', { admissionReviewVersions: ['v9', 'v1beta1', 'v1'] }));
    const { json } = await call('POST', CONFIG_MAPS, configMap('c'));
    expect(reviews[0]?.apiVersion).toBe('admission.k8s.io/v1beta1');
    expect(json).toMatchObject({ data: { a: 'b' } });
  });
});

describe('reinvocation of webhooks', () => {
  const counting = (): AdmissionPlugin & { readonly passes: boolean[] } => {
    const passes: boolean[] = [];
    return {
      passes,
      name: 'Counting',
      operations: ['CREATE'],
      concerns: ({ plural }) => plural === 'configmaps',
      mutate: async ({ reinvocation }) => void passes.push(reinvocation?.isReinvocation ?? false),
    };
  };

  it('runs all plugins again only if a webhook has changed the object', async () => {
    const plugin = counting();
    const behaviours = { hook: patching(add('/data', { a: 'b' })) };
    const { configure, call } = await startWebhooks(behaviours, { before: [plugin] });
    await call('POST', CONFIG_MAPS, configMap('a'));
    expect(plugin.passes).toEqual([false]);
    await configure('Mutating', 'm', webhook('hook'));
    await call('POST', CONFIG_MAPS, configMap('b'));
    await call('POST', CONFIG_MAPS, configMap('c', { data: { a: 'b' } }));
    expect(plugin.passes).toEqual([false, false, true, false]);
  });

  it('calls reinvocable webhooks called before the change again, at most once', async () => {
    let calls = 0;
    const { configure, call, reviews, notes } = await startWebhooks({
      early: allow,
      never: allow,
      changing: () => patching(add('/data', { calls: String(++calls) }))(),
      late: allow,
    });
    await configure(
      'Mutating',
      'm',
      webhook('early', { reinvocationPolicy: 'IfNeeded' }),
      webhook('never'),
      webhook('changing', { reinvocationPolicy: 'IfNeeded' }),
      webhook('late', { reinvocationPolicy: 'IfNeeded' }),
    );
    const { json } = await call('POST', CONFIG_MAPS, configMap('c'));
    expect(reviews.map(({ hook }) => hook)).toEqual(['early', 'never', 'changing', 'late', 'early']);
    expect(json).toMatchObject({ data: { calls: '1' } });
    expect([...notes.keys()]).toContain(note(1, 0));
  });

  it('calls all reinvocable webhooks again if another plugin changed the object in between', async () => {
    const relabelling: AdmissionPlugin = {
      name: 'Relabelling',
      operations: ['CREATE'],
      concerns: ({ plural }) => plural === 'configmaps',
      async mutate({ object, reinvocation }) {
        if (reinvocation?.isReinvocation && object?.metadata) object.metadata.labels = { again: 'yes' };
      },
    };
    const behaviours = { changing: patching(add('/data', { a: 'b' })), late: allow };
    const { configure, call, reviews } = await startWebhooks(behaviours, { before: [relabelling] });
    await configure(
      'Mutating',
      'm',
      webhook('changing'),
      webhook('late', { reinvocationPolicy: 'IfNeeded' }),
    );
    await call('POST', CONFIG_MAPS, configMap('c'));
    expect(reviews.map(({ hook }) => hook)).toEqual(['changing', 'late', 'late']);
    expect(reviews.at(-1)?.request.object).toMatchObject({ metadata: { labels: { again: 'yes' } } });
  });

  it('calls no webhook for the first time', async () => {
    const { configure, call, reviews } = await startWebhooks({
      picky: allow,
      changing: patching(add('/metadata/labels', { pick: 'me' })),
    });
    await configure(
      'Mutating',
      'm',
      webhook('picky', { objectSelector: { matchLabels: { pick: 'me' } }, reinvocationPolicy: 'IfNeeded' }),
      webhook('changing'),
    );
    await call('POST', CONFIG_MAPS, configMap('c'));
    expect(reviews.map(({ hook }) => hook)).toEqual(['changing']);
  });
});
