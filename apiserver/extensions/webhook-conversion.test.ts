import { describe, expect, it } from 'vitest';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createWebhookCaller } from '../outbound/webhook-caller.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { createInMemoryOutbound } from '../../base/http/in-memory-outbound.ts';
import { WIDGETS, startServer, widget, widgets } from './extensions.fixture.ts';

const V2 = '/apis/example.com/v2/namespaces/default/widgets';
const DEFINITION = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com';

interface Review {
  readonly apiVersion: string;
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: readonly Record<string, unknown>[];
  };
}

/** Converts the color to upper case for version v2. */
const honest = ({ apiVersion, request }: Review): object => ({
  kind: 'ConversionReview',
  apiVersion,
  response: {
    uid: request.uid,
    result: { status: 'Success' },
    convertedObjects: request.objects.map((object) => ({
      ...object,
      apiVersion: request.desiredAPIVersion,
      spec: recoloured(object['spec'] as { color?: string } | undefined, request.desiredAPIVersion),
    })),
  },
});

const recoloured = (spec: { color?: string } | undefined, version: string): object => ({
  ...spec,
  ...(spec?.color && { color: version.endsWith('v2') ? spec.color.toUpperCase() : spec.color.toLowerCase() }),
});

const response = (review: Review): Record<string, unknown> =>
  (honest(review) as { response: Record<string, unknown> }).response;

const answering =
  (change: (review: Review) => object) =>
  (review: Review): object => ({ ...honest(review), response: { ...response(review), ...change(review) } });

async function startConverting(answer: (review: Review) => object = honest, reviewVersions = ['v1']) {
  const reviews: Review[] = [];
  const peer = { answer };
  const outbound = createInMemoryOutbound(() => ({
    handler: async (request) => {
      const review = JSON.parse((await request.body(1e6)).toString()) as Review;
      reviews.push(review);
      return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(peer.answer(review))) };
    },
  }));
  const caller = createWebhookCaller({
    outbound,
    clock: createSimulatedClock(),
    vocabulary: kubernetesVocabulary,
    resolve: (namespace, name) => ({ origin: 'https://hook', serverName: `${name}.${namespace}.svc` }),
  });
  const started = await startServer({ webhooks: caller });
  await started.define(
    widgets(['v1', 'v2'], {
      conversion: {
        strategy: 'Webhook',
        webhook: {
          clientConfig: { service: { namespace: 'n', name: 'hook', path: '/convert' } },
          conversionReviewVersions: reviewVersions,
        },
      },
    }),
  );
  return { ...started, reviews, peer };
}

describe('version converted by webhook', () => {
  it('calls the webhook only for objects of another version', async () => {
    const { call, reviews } = await startConverting();
    await call('POST', WIDGETS, widget('a', { color: 'red' }));
    await call('GET', WIDGETS);
    expect(reviews).toEqual([]);
    expect((await call('GET', `${V2}/a`)).json).toMatchObject({
      apiVersion: 'example.com/v2',
      spec: { color: 'RED' },
    });
    expect(reviews).toMatchObject([
      {
        kind: 'ConversionReview',
        apiVersion: 'apiextensions.k8s.io/v1',
        request: { desiredAPIVersion: 'example.com/v2' },
      },
    ]);
  });

  it('is converted for request and response, and stored in the storage version', async () => {
    const { call, storage } = await startConverting();
    const created = await call('POST', V2, widget('a', { color: 'RED' }, 'example.com/v2'));
    expect(created.json).toMatchObject({ apiVersion: 'example.com/v2', spec: { color: 'RED' } });
    const stored = await storage.get('/registry/example.com/widgets/default/a');
    expect(String(stored?.value)).toMatch(/"apiVersion":"example.com\/v1".*"color":"red"/);
  });

  it('has the same representation in a dry run as in the write', async () => {
    const { call, peer } = await startConverting();
    const body = widget('a', { color: 'Red' }, 'example.com/v2');
    const merge = { headers: { 'content-type': 'application/merge-patch+json' } };
    for (const write of [
      (query: string) => call('POST', V2 + query, body),
      (query: string) => call('PATCH', `${V2}/a${query}`, { spec: { color: 'Blue' } }, merge),
    ]) {
      const [tried, written] = [await write('?dryRun=All'), await write('')];
      expect(tried.json['spec']).toEqual(written.json['spec']);
      expect(written.json).toMatchObject({ spec: { color: expect.stringMatching(/^[A-Z]+$/) as string } });
    }
    peer.answer = answering(() => ({ uid: 'other' }));
    const refused = widget('b', {}, 'example.com/v2');
    expect((await call('POST', `${V2}?dryRun=All`, refused)).status).toBe(500);
    expect((await call('POST', V2, refused)).status).toBe(500);
  });

  it('reports the duration by source and target version', async () => {
    const { call } = await startConverting();
    await call('POST', WIDGETS, widget('a', { color: 'red' }));
    await call('GET', `${V2}/a`);
    const { text } = await call('GET', '/metrics');
    expect(text).toMatch(
      /apiserver_crd_webhook_conversion_duration_seconds_count\{crd_name="widgets\.example\.com",from_version="v1",succeeded="true",to_version="v2"\} \d/,
    );
  });

  it('lists several objects with one review, and watches them', async () => {
    const { call, caller, reviews, eventually } = await startConverting();
    for (const name of ['a', 'b', 'c']) await call('POST', WIDGETS, widget(name, { color: 'red' }));
    const { json } = await call('GET', V2);
    expect(json['items']).toMatchObject([
      { metadata: { name: 'a' }, spec: { color: 'RED' } },
      { metadata: { name: 'b' } },
      { metadata: { name: 'c' } },
    ]);
    expect(reviews.map(({ request }) => request.objects.length)).toEqual([3]);
    const watching = await caller.request('GET', `${V2}?watch=1&resourceVersion=0`);
    await call('POST', WIDGETS, widget('d', { color: 'red' }));
    await eventually(() => reviews.length === 2);
    await call('DELETE', DEFINITION);
    expect(await watching.text()).toMatch(/"ADDED".*"apiVersion":"example.com\/v2".*"name":"d"/);
  });

  it('uses the first review version that both sides support', async () => {
    const { call, reviews } = await startConverting(honest, ['v7', 'v1beta1', 'v1']);
    await call('POST', V2, widget('a', {}, 'example.com/v2'));
    expect(reviews[0]?.apiVersion).toBe('apiextensions.k8s.io/v1beta1');
  });

  it('may have other labels and annotations, but no other changes of metadata', async () => {
    const { call } = await startConverting(
      answering(({ request }) => ({
        convertedObjects: request.objects.map((object) => ({
          ...object,
          apiVersion: request.desiredAPIVersion,
          metadata: { ...(object['metadata'] as object), labels: { a: 'b' }, finalizers: ['example.com/x'] },
        })),
      })),
    );
    await call('POST', WIDGETS, widget('a'));
    const { metadata } = (await call('GET', `${V2}/a`)).json;
    expect(metadata?.['labels']).toEqual({ a: 'b' });
    expect(metadata?.['finalizers']).toBeUndefined();
  });

  it.each<[string, (review: Review) => object, string]>([
    [
      'another uid',
      () => ({ uid: 'other' }),
      'conversion webhook for example.com/v1, Kind=Widget failed: expected response.uid="',
    ],
    [
      'a failure',
      () => ({ result: { status: 'Failure', message: 'no way' } }),
      'conversion webhook for example.com/v1, Kind=Widget failed: no way',
    ],
    [
      'no result',
      () => ({ result: {} }),
      "conversion webhook for example.com/v1, Kind=Widget failed: response.result.status was '', not 'Success'",
    ],
    [
      'too few objects',
      () => ({ convertedObjects: [] }),
      'conversion webhook for example.com/v1, Kind=Widget returned 0 objects, expected 1',
    ],
    [
      'another version',
      ({ request }) => ({ convertedObjects: request.objects }),
      'conversion webhook for example.com/v1, Kind=Widget returned invalid object at index 0: ' +
        'invalid groupVersion (expected example.com/v2, received example.com/v1)',
    ],
    [
      'another object',
      ({ request }) => ({
        convertedObjects: request.objects.map((object) => ({
          ...object,
          apiVersion: request.desiredAPIVersion,
          metadata: { ...(object['metadata'] as object), name: 'b' },
        })),
      }),
      'conversion webhook for example.com/v1, Kind=Widget returned invalid object: must have the same name: a != b',
    ],
    [
      'invalid labels',
      ({ request }) => ({
        convertedObjects: request.objects.map((object) => ({
          ...object,
          apiVersion: request.desiredAPIVersion,
          metadata: { ...(object['metadata'] as object), labels: { a: 1 } },
        })),
      }),
      'conversion webhook for example.com/v1, Kind=Widget returned invalid metadata: ' +
        'metadata.labels[a] must be a string, but is int64 in converted object',
    ],
  ])('returns status 500 after %s, while the storage version is served', async (_name, change, message) => {
    const { call } = await startConverting(answering(change));
    await call('POST', WIDGETS, widget('a'));
    const { status, json } = await call('GET', `${V2}/a`);
    expect(status).toBe(500);
    expect(json['message']).toContain(message);
    expect((await call('GET', V2)).status).toBe(500);
    expect((await call('GET', `${WIDGETS}/a`)).status).toBe(200);
  });

  it('is served again once its webhook works', async () => {
    const { call, peer } = await startConverting(answering(() => ({ uid: 'other' })));
    await call('POST', WIDGETS, widget('a', { color: 'red' }));
    expect((await call('GET', V2)).status).toBe(500);
    peer.answer = honest;
    expect((await call('GET', V2)).json['items']).toMatchObject([{ spec: { color: 'RED' } }]);
  });
});

describe('field owners with webhook conversion', () => {
  const APPLY = { headers: { 'content-type': 'application/apply-patch+yaml' } };
  const MERGE = { headers: { 'content-type': 'application/merge-patch+json' } };
  interface Entry {
    readonly manager: string;
    readonly apiVersion: string;
    readonly fieldsV1: object;
  }

  async function startApplied() {
    const started = await startConverting();
    const { call } = started;
    const apply = (path: string, manager: string, body: object, query = '') =>
      call('PATCH', `${path}/a?fieldManager=${manager}${query}`, body, APPLY);
    const entries = async (): Promise<Record<string, Entry>> => {
      const { metadata } = (await call('GET', `${WIDGETS}/a`)).json;
      const list = metadata?.['managedFields'] as readonly Entry[];
      return Object.fromEntries(list.map((each) => [each.manager, each]));
    };
    const { status } = await apply(WIDGETS, 'm1', widget('a', { color: 'red' }));
    expect(status).toBe(201);
    return { ...started, apply, entries };
  }

  it('keep their fields when another manager writes other fields in another version', async () => {
    const { call, apply, entries } = await startApplied();
    const before = (await entries())['m1'];
    const merged = await call('PATCH', `${V2}/a?fieldManager=ctl`, { spec: { size: 5 } }, MERGE);
    expect(merged.status).toBe(200);
    const { json } = await call('GET', `${V2}/a`);
    const put = { ...json, spec: { ...(json['spec'] as object), replicas: 2 } };
    expect((await call('PUT', `${V2}/a?fieldManager=putter`, put)).status).toBe(200);
    expect((await apply(V2, 'm2', widget('a', { size: 7 }, 'example.com/v2'), '&force=true')).status).toBe(
      200,
    );
    const after = await entries();
    expect(after['m1']).toEqual(before);
    expect(after['putter']).toMatchObject({
      apiVersion: 'example.com/v2',
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
    });
    expect(after['m2']).toMatchObject({ fieldsV1: { 'f:spec': { 'f:size': {} } } });
    const conflict = await apply(WIDGETS, 'm9', widget('a', { color: 'blue' }));
    expect([conflict.status, conflict.json['message']]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "m1": .spec.color',
    ]);
  });

  it('conflict with an apply, and lose to a patch, of the same field in another version', async () => {
    const { call, apply, entries } = await startApplied();
    const other = widget('a', { color: 'BLUE' }, 'example.com/v2');
    const conflict = await apply(V2, 'm2', other);
    expect([conflict.status, conflict.json['message']]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "m1": .spec.color',
    ]);
    expect((await apply(V2, 'm2', widget('a', { color: 'RED' }, 'example.com/v2'))).status).toBe(200);
    expect(Object.keys(await entries()).sort()).toEqual(['m1', 'm2']);
    await call('PATCH', `${V2}/a?fieldManager=ctl`, { spec: { color: 'GREEN' } }, MERGE);
    expect(Object.keys(await entries())).toEqual(['ctl']);
    expect((await call('GET', `${WIDGETS}/a`)).json).toMatchObject({ spec: { color: 'green' } });
  });

  it('lose fields that they no longer apply, in any version', async () => {
    const { call, apply, entries } = await startApplied();
    await apply(V2, 'm1', widget('a', { color: 'RED', replicas: 1 }, 'example.com/v2'));
    expect((await apply(V2, 'm1', widget('a', { replicas: 1 }, 'example.com/v2'))).status).toBe(200);
    expect((await entries())['m1']).toMatchObject({ fieldsV1: { 'f:spec': { 'f:replicas': {} } } });
    const { json } = await call('GET', `${WIDGETS}/a`);
    expect(json['spec']).toMatchObject({ replicas: 1 });
  });

  it('cost at most one review per representation of the object, and a failed review fails the write', async () => {
    const { call, apply, reviews, peer } = await startApplied();
    const before = reviews.length;
    await apply(WIDGETS, 'm2', widget('a', { size: 3 }));
    expect(reviews.length).toBe(before);
    await call('PATCH', `${V2}/a?fieldManager=ctl`, { spec: { size: 4 } }, MERGE);
    // The old and the new object are each converted for reading or storing, and for comparing owners.
    expect(reviews.length - before).toBeLessThanOrEqual(6);
    peer.answer = answering(() => ({ uid: 'other' }));
    expect((await call('PATCH', `${V2}/a?fieldManager=ctl`, { spec: { size: 5 } }, MERGE)).status).toBe(500);
    peer.answer = honest;
    expect((await call('GET', `${WIDGETS}/a`)).json).toMatchObject({ spec: { size: 4 } });
  });
});
