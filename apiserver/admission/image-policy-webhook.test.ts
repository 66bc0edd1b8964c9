import { describe, expect, it } from 'vitest';
import { pods, secrets } from '../../api/groups/index.ts';
import type { Pod, PodSpec } from '../../api/types/core-v1-pod.ts';
import { kubernetesVocabulary as v } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { createInMemoryOutbound } from '../../base/http/in-memory-outbound.ts';
import type { HttpResponse } from '../../base/http/message.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import type { AdmissionRequest } from '../request.ts';
import { createImagePolicyWebhook } from './image-policy-webhook.ts';
import { admit } from './request.fixture.ts';

const FILE = '/etc/image-policy.conf';
const AUDIT = 'imagepolicywebhook.image-policy.k8s.io/';
const json = (body: unknown, status = 200): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(body)),
});
const verdict = (status: object): HttpResponse =>
  json({ kind: 'ImageReview', apiVersion: 'imagepolicy.k8s.io/v1alpha1', status });

/** Starts a review service that returns the responses in order, the last one repeatedly. */
function start(responses: readonly (HttpResponse | 'down')[], policy: Record<string, unknown> = {}) {
  const clock = createSimulatedClock();
  const requested: { readonly path: string; readonly authorization: unknown; readonly review: unknown }[] =
    [];
  const outbound = createInMemoryOutbound((origin) => ({
    handler: async (request) => {
      const response = responses[Math.min(requested.length, responses.length - 1)];
      requested.push({
        path: `${origin}${request.url}`,
        authorization: request.headers['authorization']?.[0],
        review: JSON.parse(Buffer.from(await request.body(1e6)).toString()),
      });
      if (response === undefined || response === 'down') throw new Error('connection refused');
      return response;
    },
  }));
  const remote = {
    peer: { origin: 'https://images.example.com' },
    path: '/policy',
    credentials: async () => ({ authorization: 'Bearer t' }),
  };
  const plugin = createImagePolicyWebhook(
    {
      vocabulary: v,
      clock,
      random: createSeededRandom(1),
      configuredOutbound: outbound,
      remoteOf: (path) => {
        if (path !== FILE) throw new Error(`${path} is not there`);
        return remote;
      },
    },
    { imagePolicy: { kubeConfigFile: FILE, ...policy } },
  );
  const audit: [string, string][] = [];
  const run = (object = pod(), over: Partial<AdmissionRequest> = {}): Promise<unknown> =>
    admit(plugin, { object, annotate: (key, value) => void audit.push([key, value]), ...over });
  return { clock, requested, audit, plugin, run };
}

const pod = (spec: Partial<PodSpec> = {}, annotations: Record<string, string> = {}): Pod => ({
  metadata: { name: 'web', annotations },
  spec: { containers: [{ name: 'c', image: 'a:1' }], ...spec },
});

describe('ImagePolicyWebhook', () => {
  it('sends the images, the annotations for the service, and the namespace', async () => {
    const { requested, run } = start([verdict({ allowed: true })]);
    await run(
      pod(
        { initContainers: [{ name: 'i', image: 'b:2' }], ephemeralContainers: [{ name: 'e', image: 'e:5' }] },
        { 'alpha.image-policy.k8s.io/ticket': '1', other: '2', 'image-policy.k8s.io/none': '3' },
      ),
    );
    expect(requested).toEqual([
      {
        path: 'https://images.example.com/policy',
        authorization: 'Bearer t',
        review: {
          kind: 'ImageReview',
          apiVersion: 'imagepolicy.k8s.io/v1alpha1',
          metadata: { creationTimestamp: null },
          spec: {
            containers: [{ image: 'a:1' }, { image: 'b:2' }],
            annotations: { 'alpha.image-policy.k8s.io/ticket': '1' },
            namespace: 'ns',
          },
          status: { allowed: false },
        },
      },
    ]);
  });

  it('sends only the ephemeral containers if the request writes these', async () => {
    const { requested, run } = start([verdict({ allowed: true })]);
    const object = pod({ ephemeralContainers: [{ name: 'e', image: 'e:5' }] });
    await run(object, { operation: 'UPDATE', subresource: 'ephemeralcontainers' });
    expect(requested[0]?.review).toMatchObject({ spec: { containers: [{ image: 'e:5' }] } });
    await run(object, { operation: 'UPDATE', subresource: 'status' });
    expect(requested).toHaveLength(1);
  });

  it.each<[string, object, string]>([
    [
      'with a reason',
      { allowed: false, reason: 'no latest' },
      'image policy webhook backend denied one or more images: no latest',
    ],
    ['without a reason', { allowed: false }, 'one or more images rejected by webhook backend'],
    ['with an empty status', {}, 'one or more images rejected by webhook backend'],
  ])('rejects a pod after a denial %s', async (_what, status, message) => {
    const { run } = start([verdict(status)], { defaultAllow: true });
    await expect(run()).rejects.toMatchObject({ code: 403, message: `pods "web" is forbidden: ${message}` });
  });

  it('caches permissions and rejections, each for its lifetime', async () => {
    const { clock, requested, run } = start([verdict({ allowed: true }), verdict({ allowed: false })], {
      allowTTL: 60,
      denyTTL: 10,
    });
    await run();
    await clock.advance(59_999);
    await run();
    expect(requested).toHaveLength(1);
    await clock.advance(1);
    await expect(run()).rejects.toThrow('rejected');
    await clock.advance(9_999);
    await expect(run()).rejects.toThrow('rejected');
    expect(requested).toHaveLength(2);
    await clock.advance(1);
    await expect(run()).rejects.toThrow('rejected');
    expect(requested).toHaveLength(3);
  });

  it('requests a different review, and every review if caching is disabled', async () => {
    const { requested, run } = start([verdict({ allowed: true })]);
    await run();
    await run(pod(), { namespace: 'other' });
    await run(pod({ containers: [{ name: 'c', image: 'a:2' }] }));
    await run(pod({}, { 'x.image-policy.k8s.io/y': '' }));
    expect(requested).toHaveLength(4);
    const forgetful = start([verdict({ allowed: true })], { allowTTL: -1 });
    await forgetful.run();
    await forgetful.run();
    expect(forgetful.requested).toHaveLength(2);
  });

  it('adds the annotations of a response to the audit event, even if the response is cached', async () => {
    const { audit, run } = start([verdict({ allowed: true, auditAnnotations: { by: 'policy 7', n: 1 } })]);
    await run();
    await run();
    expect(audit).toEqual(Array(2).fill([`${AUDIT}by`, 'policy 7']));
  });

  it('retries a transient failure with growing pauses, and then rejects the pod', async () => {
    const { clock, requested, run } = start([json({}, 500)], { retryBackoff: 100 });
    const refused = expect(run()).rejects.toThrow(
      /^pods "web" is forbidden: Post "https:\/\/images.example.com\/policy": /,
    );
    await clock.advance(1_000);
    await refused;
    expect(requested).toHaveLength(5);
    expect(clock.monotonic()).toBeLessThanOrEqual(1_000);
  });

  it.each<[string, HttpResponse | 'down']>([
    ['an unreachable back end', 'down'],
    ['a 403 of the back end', json({}, 403)],
    ['a JSON list', json([])],
    ['another kind', json({ kind: 'TokenReview', status: { allowed: true } })],
    ['another version', json({ apiVersion: 'imagepolicy.k8s.io/v1', status: { allowed: true } })],
    ['a status that is no boolean', verdict({ allowed: 'true' })],
    ['an HTML page', { ...json({}), body: Buffer.from('<html>') }],
  ])('treats %s as a failed call, and calls the service again next time', async (_what, response) => {
    const strict = start([response]);
    await expect(strict.run()).rejects.toMatchObject({ code: 403 });
    await expect(strict.run()).rejects.toMatchObject({ code: 403 });
    expect(strict.requested).toHaveLength(2);
    expect(strict.audit).toEqual([]);
  });

  it('admits pods without a response if configured, and annotates the audit event', async () => {
    const { audit, run } = start([json({}, 403)], { defaultAllow: true });
    await run();
    expect(audit).toEqual([[`${AUDIT}failed-open`, 'true']]);
  });

  it('concerns pods only', () => {
    const { plugin } = start([]);
    expect([pods, secrets].map((kind) => plugin.concerns?.(kind))).toEqual([true, false]);
  });
});
