import { describe, expect, it } from 'vitest';
import { ITEM, startWithOne, typed } from './custom-resources.fixture.ts';

describe('subresource of a custom resource', () => {
  it.each(['', '/status', '/scale'])('rejects a strategic merge patch at "%s"', async (subresource) => {
    const { call } = await startWithOne();
    await call('PATCH', ITEM, { spec: { replicas: 1 } }, typed('application/merge-patch+json'));
    const type = typed('application/strategic-merge-patch+json');
    const { status, json } = await call('PATCH', `${ITEM}${subresource}`, {}, type);
    expect(status).toBe(415);
    expect(json).toMatchObject({
      reason: 'UnsupportedMediaType',
      message:
        'the body of the request was in an unknown format - accepted media types include: ' +
        'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    });
  });

  it.each(['', '/status', '/scale'])(
    'lists the accepted patch types in the error for an unknown type at "%s"',
    async (path) => {
      const { call } = await startWithOne();
      for (const type of ['application/json', 'text/plain', '']) {
        const { status, json } = await call('PATCH', `${ITEM}${path}`, '{}', typed(type));
        expect([type, status, json['message']]).toEqual([
          type,
          415,
          'the body of the request was in an unknown format - accepted media types include: ' +
            'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
        ]);
      }
    },
  );

  it('separates writes of status and spec', async () => {
    const { call } = await startWithOne();
    const { json } = await call('GET', ITEM);
    const status = { ready: 2 };
    expect((await call('PUT', ITEM, { ...json, status })).json['status']).toBeUndefined();
    const written = await call('PUT', `${ITEM}/status`, { ...json, spec: { size: 9 }, status });
    expect(written.json).toMatchObject({ status, spec: { size: 1 }, metadata: { generation: 1 } });
  });

  it.each([
    ['DELETE', `${ITEM}/status`, 'delete is not supported on resources of kind "widgets.example.com"'],
    ['POST', `${ITEM}/scale`, 'create is not supported on resources of kind "widgets.example.com"'],
    ['OPTIONS', ITEM, ' is not supported on resources of kind "widgets.example.com"'],
  ])('rejects %s %s with 405', async (method, path, message) => {
    const { call } = await startWithOne();
    const details = { group: 'example.com', kind: 'widgets' };
    expect((await call(method, path, method === 'POST' ? {} : undefined)).json).toMatchObject({
      code: 405,
      reason: 'MethodNotAllowed',
      message,
      details,
    });
  });

  it.each(['PUT', 'PATCH'])('requires a name for %s', async (method) => {
    const { call } = await startWithOne();
    const response = await call(
      method,
      ITEM.slice(0, ITEM.lastIndexOf('/')),
      {},
      typed('application/merge-patch+json'),
    );
    expect(response.json).toMatchObject({ code: 400, message: 'name must be provided' });
  });

  it('scales the object at the paths that the definition declares', async () => {
    const { call } = await startWithOne();
    const missing = await call('GET', `${ITEM}/scale`);
    expect(missing.json).toMatchObject({
      code: 500,
      message: 'Internal error occurred: the spec replicas field ".spec.replicas" does not exist',
    });
    const scale = {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'a', namespace: 'default' },
    };
    const scaled = await call('PUT', `${ITEM}/scale`, { ...scale, spec: { replicas: 3 } });
    expect(scaled.json).toMatchObject({ kind: 'Scale', spec: { replicas: 3 } });
    expect((await call('GET', ITEM)).json).toMatchObject({
      spec: { replicas: 3 },
      metadata: { generation: 2 },
    });
    expect((await call('GET', `${ITEM}/scale`)).json).toMatchObject({ spec: { replicas: 3 } });
  });

  it('sets the replicas of a custom resource without replicas, by a patch of `scale`', async () => {
    const { call } = await startWithOne();
    const empty = await call(
      'PATCH',
      `${ITEM}/scale`,
      { metadata: {} },
      typed('application/merge-patch+json'),
    );
    expect(empty.json).toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message: 'the spec replicas field ".spec.replicas" cannot be empty',
    });
    const replace = [{ op: 'replace', path: '/spec/replicas', value: 2 }];
    const patched = await call('PATCH', `${ITEM}/scale`, replace, typed('application/json-patch+json'));
    expect(patched.json).toMatchObject({ kind: 'Scale', spec: { replicas: 2 } });
    const merged = await call(
      'PATCH',
      `${ITEM}/scale`,
      { spec: { replicas: 4 } },
      typed('application/merge-patch+json'),
    );
    expect(merged.json).toMatchObject({ spec: { replicas: 4 } });
    expect((await call('GET', ITEM)).json).toMatchObject({ spec: { replicas: 4 } });
  });

  it('exists only if the definition declares it', async () => {
    const { call } = await startWithOne({});
    expect((await call('GET', `${ITEM}/status`)).status).toBe(404);
    expect((await call('GET', `${ITEM}/scale`)).status).toBe(404);
  });
});
