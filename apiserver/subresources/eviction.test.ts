import { beforeEach, describe, expect, it } from 'vitest';
import { BUDGET, type Call, POD, pod, startServer } from './subresources.fixture.ts';

let call: Call;

const merge = (url: string, body: object): ReturnType<Call> =>
  call('PATCH', url, body, 'application/merge-patch+json');

beforeEach(async () => {
  call = await startServer();
});

describe('an eviction', () => {
  const eviction = (version = 'v1'): object => ({
    kind: 'Eviction',
    apiVersion: `policy/${version}`,
    metadata: { name: 'p' },
  });
  const evict = (body = eviction(), query = ''): ReturnType<Call> =>
    call('POST', `${POD}/eviction${query}`, body);
  const running = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } };
  const allow = (disruptionsAllowed: number): ReturnType<Call> =>
    merge(`${BUDGET}/status`, {
      status: {
        observedGeneration: 1,
        disruptionsAllowed,
        currentHealthy: 1,
        desiredHealthy: 1,
        expectedPods: 1,
      },
    });

  beforeEach(async () => {
    await call('POST', '/api/v1/namespaces/a/pods', pod);
    await merge(`${POD}/status`, running);
    const spec = { minAvailable: 1, selector: { matchLabels: { app: 'web' } } };
    await call('POST', '/apis/policy/v1/namespaces/a/poddisruptionbudgets', {
      metadata: { name: 'b' },
      spec,
    });
  });

  it('deletes the pod and reduces the allowance of the PodDisruptionBudget', async () => {
    await allow(1);
    expect(await evict()).toMatchObject({ status: 201, json: { status: 'Success' } });
    expect((await call('GET', POD)).status).toBe(404);
    expect((await call('GET', BUDGET)).json['status']).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { p: expect.any(String) as string },
      conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' }],
    });
  });

  it('is rejected if the PodDisruptionBudget allows none', async () => {
    await allow(0);
    expect(await evict(eviction('v1beta1'))).toMatchObject({
      status: 429,
      json: {
        reason: 'TooManyRequests',
        message: "Cannot evict pod as it would violate the pod's disruption budget.",
        details: {
          causes: [
            {
              reason: 'DisruptionBudget',
              message: 'The disruption budget b needs 1 healthy pods and has 1 currently',
            },
          ],
        },
      },
    });
    expect((await call('GET', POD)).status).toBe(200);
  });

  it('is rejected while the PodDisruptionBudget is not up to date', async () => {
    const { json } = await evict();
    expect(json['details']).toMatchObject({
      causes: [{ message: 'The disruption budget b is still being processed by the server.' }],
    });
  });

  it('ignores PodDisruptionBudgets for a pod that does not run', async () => {
    await merge(`${POD}/status`, { status: { phase: 'Succeeded' } });
    expect((await evict()).status).toBe(201);
  });

  it('changes neither pod nor PodDisruptionBudget in a dry run', async () => {
    await allow(1);
    expect((await evict(eviction(), '?dryRun=All')).status).toBe(201);
    expect((await evict({ ...eviction(), deleteOptions: { dryRun: ['All'] } })).status).toBe(201);
    expect((await call('GET', POD)).status).toBe(200);
    expect((await call('GET', BUDGET)).json['status']).toMatchObject({ disruptionsAllowed: 1 });
  });

  it('is rejected if its preconditions do not hold', async () => {
    await allow(1);
    const body = { ...eviction(), deleteOptions: { preconditions: { uid: 'another' } } };
    expect(await evict(body)).toMatchObject({ status: 409 });
  });

  it('is rejected if two PodDisruptionBudgets select the pod', async () => {
    const spec = { minAvailable: 1, selector: {} };
    await call('POST', '/apis/policy/v1/namespaces/a/poddisruptionbudgets', {
      metadata: { name: 'c' },
      spec,
    });
    expect(await evict()).toMatchObject({
      status: 500,
      json: { message: expect.stringContaining('more than one') as string },
    });
  });

  it('is rejected unless it names the pod of its path', async () => {
    expect((await evict({ ...eviction(), metadata: { name: 'q' } })).json['message']).toBe(
      'name in URL does not match name in Eviction object',
    );
  });
});
