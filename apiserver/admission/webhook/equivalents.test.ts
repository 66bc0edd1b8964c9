import { describe, expect, it } from 'vitest';
import { CRDS, WIDGETS, widget, widgets } from '../../extensions/extensions.fixture.ts';
import { allow, patching, rule, startWebhooks, webhook } from './webhook.fixture.ts';

const V2 = '/apis/example.com/v2/namespaces/default/widgets';
const rules = [rule(['widgets'], { apiGroups: ['example.com'], apiVersions: ['v1'] })];

describe('custom resource with a webhook for another version', () => {
  it('is converted to that version, and the change by the webhook is converted back', async () => {
    const started = await startWebhooks({
      hook: patching({ op: 'add', path: '/spec/color', value: 'red' }),
    });
    await started.define(widgets(['v1', 'v2']));
    await started.configure('Mutating', 'm', webhook('hook', { rules }));
    const { status, json } = await started.call('POST', V2, widget('a', { size: 2 }, 'example.com/v2'));
    expect(status).toBe(201);
    expect(json).toMatchObject({ apiVersion: 'example.com/v2', spec: { size: 2, color: 'red' } });
    expect(started.reviews[0]?.request).toMatchObject({
      kind: { group: 'example.com', version: 'v1', kind: 'Widget' },
      requestKind: { version: 'v2' },
      object: { apiVersion: 'example.com/v1', spec: { size: 2 } },
    });
    expect((await started.call('GET', `${WIDGETS}/a`)).json).toMatchObject({ spec: { color: 'red' } });
  });

  it('follows added and removed versions', async () => {
    const started = await startWebhooks({ hook: allow });
    await started.configure('Mutating', 'm', webhook('hook', { rules }));
    await started.define(widgets(['v2']));
    await started.call('POST', V2, widget('a', {}, 'example.com/v2'));
    expect(started.reviews).toEqual([]);
    const { json } = await started.call('GET', `${CRDS}/widgets.example.com`);
    const next = widgets(['v2', 'v1']);
    await started.call('PUT', `${CRDS}/widgets.example.com`, { ...next, metadata: json.metadata });
    await started.eventually(async () => (await started.call('GET', WIDGETS)).status === 200);
    await started.call('POST', V2, widget('b', {}, 'example.com/v2'));
    expect(started.reviews.map(({ request }) => request['name'])).toEqual(['b']);
  });
});

describe('scale subresource of an object', () => {
  it('is sent to webhooks as a Scale, with its previous state', async () => {
    const started = await startWebhooks({
      hook: patching({ op: 'replace', path: '/spec/replicas', value: 3 }),
    });
    const deployments = '/apis/apps/v1/namespaces/default/deployments';
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    await started.call('POST', deployments, {
      metadata: { name: 'web' },
      spec: { replicas: 1, selector: { matchLabels: { a: 'b' } }, template },
    });
    await started.configure('Mutating', 'm', webhook('hook', { rules: [rule(['*/scale'])] }));
    const scale = {
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'web' },
      spec: { replicas: 9 },
    };
    const { json } = await started.call('PUT', `${deployments}/web/scale`, scale);
    expect(json).toMatchObject({ kind: 'Scale', spec: { replicas: 3 } });
    expect(started.reviews.map(({ request }) => request)).toMatchObject([
      {
        operation: 'UPDATE',
        subResource: 'scale',
        resource: { group: 'apps', version: 'v1', resource: 'deployments' },
        kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
        object: { kind: 'Scale', spec: { replicas: 9 } },
        oldObject: { kind: 'Scale', spec: { replicas: 1 } },
      },
    ]);
  });
});

describe('v1beta1 webhook configuration', () => {
  const path = '/apis/admissionregistration.k8s.io/v1beta1/validatingwebhookconfigurations';

  it('has the defaults of v1beta1, even when read at v1', async () => {
    const { call } = await startWebhooks();
    const { json } = await call('POST', path, {
      metadata: { name: 'v' },
      webhooks: [
        { name: 'a.example.com', clientConfig: { url: 'https://hook/' } },
        { name: 'a.example.com', clientConfig: { service: { namespace: 'a', name: 'b' } } },
      ],
    });
    const expected = {
      failurePolicy: 'Ignore',
      matchPolicy: 'Exact',
      timeoutSeconds: 30,
      sideEffects: 'Unknown',
      admissionReviewVersions: ['v1beta1'],
    };
    expect(json).toMatchObject({
      apiVersion: 'admissionregistration.k8s.io/v1beta1',
      webhooks: [expected, { ...expected, clientConfig: { service: { port: 443 } } }],
    });
    const later = await call('GET', `${path.replace('v1beta1', 'v1')}/v`);
    expect(later.json).toMatchObject({
      apiVersion: 'admissionregistration.k8s.io/v1',
      webhooks: [expected, expected],
    });
  });

  it('accepts values that v1 rejects', async () => {
    const { call } = await startWebhooks();
    const body = { metadata: { name: 'v' }, webhooks: [webhook('hook', { sideEffects: 'Some' })] };
    expect((await call('POST', path, body)).status).toBe(201);
    const { status, json } = await call('POST', path.replace('v1beta1', 'v1'), body);
    expect([status, json['message']]).toEqual([
      422,
      expect.stringContaining('webhooks[0].sideEffects: Unsupported value: "Some"') as string,
    ]);
  });
});
