import { describe, expect, it } from 'vitest';
import { WIDGETS, startServer, widget, widgets } from './extensions.fixture.ts';
import { ITEM, typed } from './custom-resources.fixture.ts';

describe('changed definition', () => {
  it('applies new defaults to stored objects and omits removed fields', async () => {
    const { call, eventually, define } = await startServer();
    await define(widgets());
    await call('POST', WIDGETS, widget('a', { color: 'red', size: 5 }));
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com';
    const spec = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties';
    const changed = await call(
      'PATCH',
      path,
      [
        { op: 'add', path: `${spec}/shape`, value: { type: 'string', default: 'round' } },
        { op: 'remove', path: `${spec}/color` },
      ],
      typed('application/json-patch+json'),
    );
    expect(changed.status).toBe(200);
    await eventually(async () => 'shape' in ((await call('GET', ITEM)).json['spec'] as object));
    expect((await call('GET', ITEM)).json['spec']).toEqual({ size: 5, shape: 'round' });
    expect((await call('GET', WIDGETS)).json['items']).toMatchObject([{ spec: { size: 5, shape: 'round' } }]);
  });

  it('applies the defaults of the storage version, not of the requested one', async () => {
    const { call, eventually, define } = await startServer();
    await define(widgets(['v1', 'v2']));
    await call('POST', WIDGETS, widget('a'));
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com';
    const added = (version: number, field: string, value: object): object => ({
      op: 'add',
      path: `/spec/versions/${version}/schema/openAPIV3Schema/properties/spec/properties/${field}`,
      value: { type: 'string', ...value },
    });
    const changes = [
      added(0, 'shape', { default: 'round' }),
      added(1, 'shape', {}),
      added(1, 'weight', { default: 'light' }),
    ];
    await call('PATCH', path, changes, typed('application/json-patch+json'));
    const seen = async () => (await call('GET', ITEM.replace('/v1/', '/v2/'))).json['spec'] as object;
    await eventually(async () => 'shape' in (await seen()));
    expect(await seen()).toEqual({ size: 1, shape: 'round' });
  });

  it('does not end watches if the served kinds are unchanged', async () => {
    const { call, caller, define } = await startServer();
    await define(widgets());
    const watching = await caller.request('GET', `${WIDGETS}?watch=1&timeoutSeconds=30`);
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com';
    await call('PATCH', path, { metadata: { labels: { a: 'b' } } }, typed('application/merge-patch+json'));
    await call('POST', WIDGETS, widget('later'));
    await call('DELETE', path);
    expect(await watching.text()).toContain('"name":"later"');
  });
});

describe('versions with the same schema', () => {
  const V2 = '/apis/example.com/v2/namespaces/default/widgets';

  it('return the same objects, whichever version is stored', async () => {
    const { call, define, storage } = await startServer();
    await define(widgets(['v1', 'v2']));
    await call('POST', V2, widget('a', { color: 'red' }, 'example.com/v2'));
    expect((await call('GET', ITEM)).json).toMatchObject({
      apiVersion: 'example.com/v1',
      spec: { color: 'red' },
    });
    expect((await call('GET', `${V2}/a`)).json).toMatchObject({ apiVersion: 'example.com/v2' });
    const stored = await storage.get('/registry/example.com/widgets/default/a');
    expect(String(stored?.value)).toContain('"apiVersion":"example.com/v1"');
  });

  it('remain readable after a change of the storage version, and an unchanged write migrates an object', async () => {
    const { call, define, eventually, storage } = await startServer();
    await define(widgets(['v1', 'v2']));
    await call('POST', WIDGETS, widget('a', { color: 'red' }));
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com';
    const operations = [
      { op: 'replace', path: '/spec/versions/0/storage', value: false },
      { op: 'replace', path: '/spec/versions/1/storage', value: true },
    ];
    const { json } = await call('PATCH', path, operations, typed('application/json-patch+json'));
    expect(json).toMatchObject({ status: { storedVersions: ['v1', 'v2'] } });
    await eventually(async () => (await call('GET', `${V2}/a`)).status === 200);
    expect((await call('GET', ITEM)).json).toMatchObject({
      apiVersion: 'example.com/v1',
      spec: { color: 'red' },
    });
    const at = async () => String((await storage.get('/registry/example.com/widgets/default/a'))?.value);
    expect(await at()).toContain('"apiVersion":"example.com/v1"');
    await eventually(async () => {
      await call('PUT', ITEM, (await call('GET', ITEM)).json);
      return (await at()).includes('"apiVersion":"example.com/v2"');
    });
    expect((await call('GET', ITEM)).json).toMatchObject({ apiVersion: 'example.com/v1' });
  });
});
