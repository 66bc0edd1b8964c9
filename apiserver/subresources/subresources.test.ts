import { beforeEach, describe, expect, it } from 'vitest';
import { builtinKinds } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import type { ManagedFieldsEntry } from '../../api/types/meta-v1.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { createInMemoryCaller, type InMemoryRequest } from '../http/in-memory.ts';
import { createApiServer } from '../server.ts';
import { createMemoryStorage } from '../storage/memory.ts';
import { stampResourceVersion } from '../storage/stamp.ts';
import { createSubresourceHandlers } from './handlers.ts';

const vocabulary = kubernetesVocabulary;
const POD = '/api/v1/namespaces/a/pods/p';
const DEPLOYMENT = '/apis/apps/v1/namespaces/a/deployments/web';
const BUDGET = '/apis/policy/v1/namespaces/a/poddisruptionbudgets/b';

async function startServer() {
  const clock = createSimulatedClock();
  const server = createApiServer({
    scheme: createScheme(vocabulary, builtinKinds),
    environment: { clock, random: createSeededRandom(1), log: silentLogger },
    storage: createMemoryStorage({ stamp: stampResourceVersion }),
    authenticators: [
      { name: 'test', authenticate: () => Promise.resolve({ user: { username: 'admin', groups: [] } }) },
    ],
    authorizer: { name: 'test', authorize: () => Promise.resolve({ verdict: 'allow', reason: '' }) },
    virtual: (registry) => createSubresourceHandlers({ registry, vocabulary, clock }),
  });
  await server.start();
  const caller = createInMemoryCaller(server.handler);
  return async (
    method: string,
    url: string,
    body?: object | string,
    contentType = 'application/json',
    accept = 'application/json',
  ) => {
    const request: InMemoryRequest =
      body !== undefined
        ? { body, headers: { 'content-type': contentType, accept } }
        : { headers: { accept } };
    const response = await caller.request(method, url, request);
    return { status: response.status, json: JSON.parse(await response.text()) as Record<string, unknown> };
  };
}

type Call = Awaited<ReturnType<typeof startServer>>;
let call: Call;
const merge = (url: string, body: object): ReturnType<Call> =>
  call('PATCH', url, body, 'application/merge-patch+json');

beforeEach(async () => {
  call = await startServer();
  await call('POST', '/api/v1/namespaces', { metadata: { name: 'a' } });
});

async function createDeployment(): Promise<void> {
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { replicas: 2, selector: { matchLabels: { a: 'b' } }, template };
  await call('POST', '/apis/apps/v1/namespaces/a/deployments', { metadata: { name: 'web' }, spec });
}

describe('the scale of a deployment', () => {
  beforeEach(createDeployment);

  it('contains the desired replicas and the selector', async () => {
    const { json } = await call('GET', `${DEPLOYMENT}/scale`);
    expect(json).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'web', namespace: 'a' },
      spec: { replicas: 2 },
      status: { replicas: 0, selector: 'a=b' },
    });
  });

  it.each([
    ['/apis/apps/v1/namespaces/a/deployments', 'deployments/scale.apps'],
    ['/apis/apps/v1/namespaces/a/statefulsets', 'statefulsets.apps'],
    ['/api/v1/namespaces/a/replicationcontrollers', 'replicationcontrollers/scale.autoscaling'],
  ])('in %s is reported as missing %s', async (collection, missing) => {
    const { json } = await call('GET', `${collection}/none/scale`);
    expect(json).toMatchObject({ code: 404, message: `${missing} "none" not found` });
  });

  it.each([
    ['/apis/apps/v1/namespaces/a/deployments', 'scale', 'deployments.apps'],
    ['/api/v1/namespaces/a/replicationcontrollers', 'scale', 'replicationcontrollers'],
    ['/apis/apps/v1/namespaces/a/deployments', 'status', 'deployments.apps'],
  ])('in %s returns 404 for any patch without an object: %s', async (collection, subresource, missing) => {
    for (const type of ['merge-patch+json', 'json-patch+json', 'apply-patch+yaml'])
      for (const body of ['{', '{}', '[]', '']) {
        const path = `${collection}/none/${subresource}?fieldManager=m`;
        const { json } = await call('PATCH', path, body, `application/${type}`);
        expect(json).toMatchObject({ code: 404, message: `${missing} "none" not found` });
      }
  });

  it('has a Table form with dedicated columns', async () => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const { json } = await call('GET', `${DEPLOYMENT}/scale`, undefined, undefined, accept);
    expect(json).toMatchObject({
      kind: 'Table',
      columnDefinitions: [
        { name: 'Name' },
        { name: 'Desired', type: 'integer' },
        { name: 'Available', type: 'integer' },
        { name: 'Age' },
      ],
      rows: [{ cells: ['web', 2, 0, '0s'] }],
    });
  });

  it('changes the deployment and its generation when it is updated or patched', async () => {
    const scale = {
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'web' },
      spec: { replicas: 5 },
    };
    expect(await call('PUT', `${DEPLOYMENT}/scale`, scale)).toMatchObject({
      status: 200,
      json: { spec: { replicas: 5 } },
    });
    expect(await merge(`${DEPLOYMENT}/scale`, { spec: { replicas: 7 } })).toMatchObject({
      status: 200,
      json: { kind: 'Scale', spec: { replicas: 7 } },
    });
    expect((await call('GET', DEPLOYMENT)).json).toMatchObject({
      metadata: {
        generation: 3,
        managedFields: expect.arrayContaining([expect.objectContaining({ subresource: 'scale' })]) as object,
      },
      spec: { replicas: 7 },
    });
  });

  it.each([
    [{}, 'the name of the object (web based on URL) was undeterminable: name must be provided'],
    [{ name: 'x' }, 'the name of the object (x) does not match the name on the URL (web)'],
    [
      { name: 'web', namespace: 'x' },
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
  ])('must have the name of the deployment: %j', async (metadata, message) => {
    const put = await call('PUT', `${DEPLOYMENT}/scale`, { metadata, spec: { replicas: 5 } });
    expect(put).toMatchObject({ status: 400, json: { reason: 'BadRequest', message } });
  });

  it('is rejected with the uid of another deployment', async () => {
    const metadata = { name: 'web', uid: 'other' };
    const put = await call('PUT', `${DEPLOYMENT}/scale`, { metadata, spec: { replicas: 5 } });
    expect(put).toMatchObject({
      status: 409,
      json: {
        message: expect.stringMatching(
          /^Operation cannot be fulfilled on deployments.apps "web": StorageError: invalid object, Code: 4, Key: \/registry\/deployments\/a\/web, .* UID in precondition: other, /,
        ) as string,
      },
    });
  });

  it('is rejected if negative or stale', async () => {
    expect(await merge(`${DEPLOYMENT}/scale`, { spec: { replicas: -1 } })).toMatchObject({
      status: 422,
      json: {
        message:
          'Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      },
    });
    const stale = { metadata: { name: 'web', resourceVersion: '1' }, spec: { replicas: 5 } };
    expect(await call('PUT', `${DEPLOYMENT}/scale`, stale)).toMatchObject({
      status: 409,
      json: { reason: 'Conflict' },
    });
    expect((await call('GET', `${DEPLOYMENT.replace('web', 'gone')}/scale`)).status).toBe(404);
  });

  describe('when it is applied', () => {
    const apply = (manager: string, replicas: number, more = {}): ReturnType<typeof call> =>
      call(
        'PATCH',
        `${DEPLOYMENT}/scale?fieldManager=${manager}`,
        {
          kind: 'Scale',
          apiVersion: 'autoscaling/v1',
          metadata: { name: 'web' },
          spec: { replicas },
          ...more,
        },
        'application/apply-patch+yaml',
      );

    const owners = async (): Promise<string[]> => {
      const { json } = await call('GET', DEPLOYMENT);
      const { metadata } = json as { metadata: { managedFields: ManagedFieldsEntry[] } };
      return metadata.managedFields.flatMap(({ manager = '', subresource = '', fieldsV1 }) =>
        JSON.stringify(fieldsV1).includes('"f:replicas"') ? [`${manager}/${subresource}`] : [],
      );
    };

    it('owns the replicas of the deployment, shared for equal values', async () => {
      expect(await apply('a', 4)).toMatchObject({
        status: 409,
        json: {
          reason: 'Conflict',
          // The existing owner is reported as owner of a scale, not of the deployment.
          message: expect.stringContaining(' using autoscaling/v1: .spec.replicas') as string,
        },
      });
      expect(await apply('a&force=true', 4)).toMatchObject({ status: 200, json: { spec: { replicas: 4 } } });
      expect((await apply('b', 4)).status).toBe(200);
      expect(await owners()).toEqual(['a/scale', 'b/scale']);
      expect(await merge(`${DEPLOYMENT}/scale?fieldManager=c`, { spec: { replicas: 6 } })).toMatchObject({
        status: 200,
      });
      expect(await owners()).toEqual(['c/scale']);
    });

    it('must be a Scale with the name of the deployment', async () => {
      expect((await apply('a', 4, { metadata: { name: 'other' } })).status).toBe(400);
      expect((await apply('a', 4, { apiVersion: 'apps/v1' })).status).toBe(400);
      expect((await apply('a&force=true', -1)).status).toBe(422);
      expect(await apply('a', 4, { bogus: 1 })).toMatchObject({
        status: 500,
        json: { message: 'failed to create typed patch object: .bogus: field not declared in schema' },
      });
    });
  });
});

describe('the status of a deployment', () => {
  beforeEach(createDeployment);

  it('ignores labels and records no owner for them', async () => {
    const { json } = await call(
      'PATCH',
      `${DEPLOYMENT}/status?fieldManager=s`,
      {
        kind: 'Deployment',
        apiVersion: 'apps/v1',
        metadata: { name: 'web', labels: { x: 'y' }, annotations: { q: 'r' } },
        status: { replicas: 1 },
      },
      'application/apply-patch+yaml',
    );
    expect(json).toMatchObject({ metadata: { annotations: { q: 'r' } } });
    const { metadata } = json as { metadata: { labels?: object; managedFields: ManagedFieldsEntry[] } };
    expect(metadata.labels?.['x' as never]).toBeUndefined();
    expect(metadata.managedFields.find(({ manager }) => manager === 's')?.fieldsV1).toEqual({
      'f:metadata': { 'f:annotations': { 'f:q': {} } },
      'f:status': { 'f:replicas': {} },
    });
  });
});

const pod = {
  metadata: { name: 'p', labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};

describe('a binding', () => {
  const binding = {
    metadata: { name: 'p', annotations: { why: 'free' } },
    target: { kind: 'Node', name: 'n1' },
  };

  beforeEach(async () => {
    await call('POST', '/api/v1/namespaces/a/pods', pod);
  });

  it('assigns a pod to a node once', async () => {
    expect(await call('POST', `${POD}/binding`, binding)).toMatchObject({
      status: 201,
      json: { kind: 'Status', status: 'Success' },
    });
    expect((await call('GET', POD)).json).toMatchObject({
      metadata: { annotations: { why: 'free' } },
      spec: { nodeName: 'n1' },
      status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
    });
    expect(await call('POST', '/api/v1/namespaces/a/bindings', binding)).toMatchObject({
      status: 409,
      json: {
        message: 'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
        details: { kind: 'pods/binding' },
      },
    });
  });

  it('must name the pod of its path and a node', async () => {
    expect(await call('POST', `${POD}/binding`, { ...binding, metadata: { name: 'q' } })).toMatchObject({
      status: 400,
      json: { message: 'name in URL does not match name in Binding object' },
    });
    expect(await call('POST', `${POD}/binding`, { ...binding, target: { kind: 'Pod' } })).toMatchObject({
      status: 500,
      json: {
        message:
          '[target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>", target.name: Required value]',
      },
    });
  });

  it('is rejected with the uid of another pod', async () => {
    const uid = ((await call('GET', POD)).json['metadata'] as { uid: string }).uid;
    const other = { ...binding, metadata: { name: 'p', uid: 'other' } };
    expect(await call('POST', `${POD}/binding`, other)).toMatchObject({
      status: 409,
      json: {
        message:
          'Operation cannot be fulfilled on pods/binding "p": StorageError: invalid object, Code: 4, Key: /registry/pods/a/p, ' +
          `ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: ${uid}`,
      },
    });
  });

  it('changes nothing in a dry run', async () => {
    expect((await call('POST', `${POD}/binding?dryRun=All`, binding)).status).toBe(201);
    expect((await call('GET', POD)).json['spec']).not.toHaveProperty('nodeName');
  });
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

  it('deletes the pod and reduces the allowance of the budget', async () => {
    await allow(1);
    expect(await evict()).toMatchObject({ status: 201, json: { status: 'Success' } });
    expect((await call('GET', POD)).status).toBe(404);
    expect((await call('GET', BUDGET)).json['status']).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { p: expect.any(String) as string },
      conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' }],
    });
  });

  it('is rejected if the budget allows none', async () => {
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

  it('is rejected while the budget is not up to date', async () => {
    const { json } = await evict();
    expect(json['details']).toMatchObject({
      causes: [{ message: 'The disruption budget b is still being processed by the server.' }],
    });
  });

  it('ignores budgets for a pod that does not run', async () => {
    await merge(`${POD}/status`, { status: { phase: 'Succeeded' } });
    expect((await evict()).status).toBe(201);
  });

  it('changes neither pod nor budget in a dry run', async () => {
    await allow(1);
    expect((await evict(eviction(), '?dryRun=All')).status).toBe(201);
    expect((await evict({ ...eviction(), deleteOptions: { dryRun: ['All'] } })).status).toBe(201);
    expect((await call('GET', POD)).status).toBe(200);
    expect((await call('GET', BUDGET)).json['status']).toMatchObject({ disruptionsAllowed: 1 });
  });

  it('respects its preconditions', async () => {
    await allow(1);
    const body = { ...eviction(), deleteOptions: { preconditions: { uid: 'another' } } };
    expect(await evict(body)).toMatchObject({ status: 409 });
  });

  it('is rejected if two budgets cover the pod', async () => {
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

  it('must name the pod of its path', async () => {
    expect((await evict({ ...eviction(), metadata: { name: 'q' } })).json['message']).toBe(
      'name in URL does not match name in Eviction object',
    );
  });
});

describe('ephemeral containers', () => {
  const path = `${POD}/ephemeralcontainers`;
  const debug = { name: 'debug', image: 'busybox' };

  beforeEach(async () => {
    await call('POST', '/api/v1/namespaces/a/pods', pod);
  });

  it('are added to an existing pod without other changes', async () => {
    const { status, json } = await merge(path, { spec: { ephemeralContainers: [debug], nodeName: 'n1' } });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      kind: 'Pod',
      spec: { ephemeralContainers: [{ ...debug, imagePullPolicy: 'Always' }] },
    });
    expect(json['spec']).not.toHaveProperty('nodeName');
  });

  it('cannot be changed or removed', async () => {
    await merge(path, { spec: { ephemeralContainers: [debug] } });
    const gone = await merge(path, { spec: { ephemeralContainers: null } });
    expect(gone).toMatchObject({ status: 422 });
    expect(gone.json['message']).toContain('existing ephemeral containers "debug" may not be removed');
    const changed = await merge(path, { spec: { ephemeralContainers: [{ ...debug, image: 'other' }] } });
    expect(changed.json['message']).toContain('existing ephemeral containers "debug" may not be changed');
  });
});
