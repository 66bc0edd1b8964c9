import { beforeEach, describe, expect, it } from 'vitest';
import type { ManagedFieldsEntry } from '../../api/types/meta-v1.ts';
import { type Call, DEPLOYMENT, startServer } from './subresources.fixture.ts';

let call: Call;

const merge = (url: string, body: object): ReturnType<Call> =>
  call('PATCH', url, body, 'application/merge-patch+json');

beforeEach(async () => {
  call = await startServer();
});

async function createDeployment(): Promise<void> {
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { replicas: 2, selector: { matchLabels: { a: 'b' } }, template };
  await call('POST', '/apis/apps/v1/namespaces/a/deployments', { metadata: { name: 'web' }, spec });
}

describe('the scale of a Deployment', () => {
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
  ])('in %s is reported as missing resource %s', async (collection, missing) => {
    const { json } = await call('GET', `${collection}/none/scale`);
    expect(json).toMatchObject({ code: 404, message: `${missing} "none" not found` });
  });

  it.each([
    ['/apis/apps/v1/namespaces/a/deployments', 'scale', 'deployments.apps'],
    ['/api/v1/namespaces/a/replicationcontrollers', 'scale', 'replicationcontrollers'],
    ['/apis/apps/v1/namespaces/a/deployments', 'status', 'deployments.apps'],
  ])(
    'in %s returns 404 for any patch if the object does not exist: %s',
    async (collection, subresource, missing) => {
      for (const type of ['merge-patch+json', 'json-patch+json', 'apply-patch+yaml'])
        for (const body of ['{', '{}', '[]', '']) {
          const path = `${collection}/none/${subresource}?fieldManager=m`;
          const { json } = await call('PATCH', path, body, `application/${type}`);
          expect(json).toMatchObject({ code: 404, message: `${missing} "none" not found` });
        }
    },
  );

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

  it('changes the Deployment and its generation when the scale is updated or patched', async () => {
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
  ])('must have the name of the Deployment: %j', async (metadata, message) => {
    const put = await call('PUT', `${DEPLOYMENT}/scale`, { metadata, spec: { replicas: 5 } });
    expect(put).toMatchObject({ status: 400, json: { reason: 'BadRequest', message } });
  });

  it('is rejected with the uid of another Deployment', async () => {
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

  it('is rejected if it is negative or stale', async () => {
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

    it('records each applier of an equal value as owner of the replicas', async () => {
      expect(await apply('a', 4)).toMatchObject({
        status: 409,
        json: {
          reason: 'Conflict',
          // The existing owner is reported as owner of a scale, not of the Deployment.
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

    it('must be a Scale with the name of the Deployment', async () => {
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

describe('the status of a Deployment', () => {
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
