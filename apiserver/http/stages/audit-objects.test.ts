import { describe, expect, it } from 'vitest';
import { encodeObject } from '../../../api/protobuf/envelope.ts';
import { ConfigMap } from '../../../api/types/core-v1.ts';
import { kubernetesVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import type { InMemoryRequest } from '../in-memory.ts';
import { COLLECTION, CONFIG_MAP, ITEM, type Options, created, start } from './audit-server.fixture.ts';

describe('the objects in audit events', () => {
  const lastOf = async (method: string, url: string, request: InMemoryRequest, options?: Options) => {
    const { call, recorder } = await created(options);
    await call(method, url, request);
    return recorder.events.at(-1);
  };

  it('reference the updated object with uid and resource version', async () => {
    const { call, recorder } = await created();
    const stored = JSON.parse((await call('GET', ITEM)).text) as typeof CONFIG_MAP & {
      metadata: { uid: string; resourceVersion: string };
    };
    await call('PUT', ITEM, { body: stored });
    const { uid, resourceVersion } = stored.metadata;
    expect(recorder.events.at(-1)?.objectRef).toEqual({
      resource: 'configmaps',
      namespace: 'a',
      name: 'c',
      uid,
      apiVersion: 'v1',
      resourceVersion,
    });
  });

  it.each([
    ['application/merge-patch+json', { data: { k: null } }],
    ['application/json-patch+json', [{ op: 'remove', path: '/data/k' }]],
  ])('include a patch as it was sent (%s)', async (type, patch) => {
    const event = await lastOf('PATCH', ITEM, {
      headers: { 'content-type': type },
      body: JSON.stringify(patch),
    });
    expect(event?.requestObject).toEqual(patch);
    expect(event?.responseStatus).toEqual({ metadata: {}, code: 200 });
  });

  it('include an applied YAML configuration as JSON', async () => {
    const event = await lastOf('PATCH', `${ITEM}?fieldManager=m`, {
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: 'apiVersion: v1\nkind: ConfigMap\ndata: {x: z}\n',
    });
    expect(event?.requestObject).toEqual({ apiVersion: 'v1', kind: 'ConfigMap', data: { x: 'z' } });
  });

  it('include the options of a delete, if there are any, and its Status', async () => {
    const event = await lastOf('DELETE', ITEM, { body: { gracePeriodSeconds: 0 } });
    expect(event?.requestObject).toEqual({ kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0 });
    expect(event?.responseStatus).toMatchObject({ status: 'Success', code: 200, details: { name: 'c' } });
    expect((await lastOf('DELETE', ITEM, {}))?.requestObject).toBeUndefined();
  });

  it('include the options of a deletecollection and the list of deleted objects', async () => {
    const event = await lastOf('DELETE', COLLECTION, { body: { propagationPolicy: 'Background' } });
    expect(event?.verb).toBe('deletecollection');
    expect(event?.requestObject).toMatchObject({ propagationPolicy: 'Background' });
    expect(event?.responseObject).toMatchObject({
      kind: 'ConfigMapList',
      items: [{ metadata: { name: 'c' } }],
    });
  });

  it('are JSON for a protobuf request and response', async () => {
    const event = await lastOf('POST', COLLECTION, {
      headers: {
        'content-type': kubernetesVocabulary.protobufMediaType,
        accept: kubernetesVocabulary.protobufMediaType,
      },
      body: encodeObject(ConfigMap, { ...CONFIG_MAP, metadata: { name: 'd' } }),
    });
    expect(event?.requestObject).toMatchObject({
      kind: 'ConfigMap',
      metadata: { name: 'd' },
      data: { k: 'v' },
    });
    expect(event?.responseObject).toMatchObject({
      kind: 'ConfigMap',
      metadata: { name: 'd', namespace: 'a' },
    });
    expect(event?.responseStatus?.code).toBe(201);
  });

  it('have no managed fields if the policy omits them, including in lists and Tables', async () => {
    const options = { policy: 'omitManagedFields: true\nrules: [{level: RequestResponse}]' };
    const table = { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } };
    for (const [url, request] of [
      [ITEM, {}],
      [COLLECTION, {}],
      [COLLECTION, table],
    ] as const) {
      const event = await lastOf('GET', url, request, options);
      expect(JSON.stringify(event?.responseObject)).toContain('"name":"c"');
      expect(JSON.stringify(event?.responseObject)).not.toContain('managedFields');
    }
    expect(JSON.stringify((await lastOf('GET', ITEM, {}))?.responseObject)).toContain('managedFields');
  });

  it('are omitted for confidential kinds at every level', async () => {
    const { call, recorder } = await start();
    const body = { spec: { token: 'sesame' } };
    const { text } = await call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { body });
    expect(text).toContain('"authenticated":true');
    const value = Buffer.from('sesame').toString('base64');
    const secret = { metadata: { name: 'a' }, data: { password: value } };
    const secrets = '/api/v1/namespaces/a/secrets';
    expect((await call('POST', secrets, { body: secret })).status).toBe(201);
    expect((await call('GET', secrets)).text).toContain(value);
    const about = recorder.events.filter(({ objectRef }) =>
      ['secrets', 'tokenreviews'].includes(objectRef?.resource ?? ''),
    );
    expect(about.length).toBeGreaterThan(2);
    for (const event of about) {
      expect(event).toMatchObject({ level: 'Metadata' });
      expect(event).not.toHaveProperty('requestObject');
      expect(event).not.toHaveProperty('responseObject');
    }
    expect(JSON.stringify(recorder.events)).not.toMatch(new RegExp(`sesame|${value}`));
  });
});
