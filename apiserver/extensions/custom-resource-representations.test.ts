import { describe, expect, it } from 'vitest';
import { WIDGETS, startServer, widgets } from './extensions.fixture.ts';
import { ITEM, accepting, startWithOne, typed } from './custom-resources.fixture.ts';

describe('representations of a custom resource', () => {
  it('have no properties in OpenAPI v2 if the resource preserves unknown fields', async () => {
    const { define, call, eventually } = await startServer();
    const openAPIV3Schema = {
      type: 'object',
      description: 'any',
      'x-kubernetes-preserve-unknown-fields': true,
    };
    await define(widgets(['v1'], {}, { schema: { openAPIV3Schema } }));
    const described = async () =>
      ((await call('GET', '/openapi/v2')).json['definitions'] as Record<string, unknown>)[
        'com.example.v1.Widget'
      ];
    await eventually(async () => (await described()) !== undefined);
    expect(await described()).toEqual({
      type: 'object',
      'x-kubernetes-group-version-kind': [{ group: 'example.com', version: 'v1', kind: 'Widget' }],
    });
  });

  it('list the status before the scale in discovery', async () => {
    const { call } = await startWithOne();
    const { json } = await call('GET', '/apis/example.com/v1');
    expect((json['resources'] as { name: string }[]).map(({ name }) => name)).toEqual([
      'widgets',
      'widgets/status',
      'widgets/scale',
    ]);
  });

  it('include protobuf only for metadata', async () => {
    const { call } = await startWithOne();
    const protobuf = 'application/vnd.kubernetes.protobuf';
    const whole = await call('GET', ITEM, undefined, accepting(protobuf));
    expect([whole.status, whole.header('content-type')]).toEqual([406, protobuf]);
    expect(whole.text).toContain(
      `only the following media types are accepted: application/json, application/yaml, ${protobuf}`,
    );
    const partial = `${protobuf};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`;
    const metadata = await call('GET', ITEM, undefined, accepting(`${partial},application/json`));
    expect([metadata.status, metadata.header('content-type')]).toEqual([200, protobuf]);
    const list = partial.replace('Metadata', 'MetadataList');
    expect((await call('GET', WIDGETS, undefined, accepting(list))).header('content-type')).toBe(protobuf);
    const watched = await call('GET', `${WIDGETS}?watch=1&timeoutSeconds=0`, undefined, accepting(protobuf));
    expect(watched.status).toBe(406);
    const streamed = await call(
      'GET',
      `${WIDGETS}?watch=1`,
      undefined,
      accepting('application/yaml;as=Table;g=meta.k8s.io;v=v1'),
    );
    expect([streamed.header('content-type'), streamed.json['message']]).toEqual([
      'application/json',
      `only the following media types are accepted: application/json;stream=watch, ${protobuf};stream=watch`,
    ]);
    const fallback = await call('GET', ITEM, undefined, accepting(`${protobuf},application/json`));
    expect(fallback.header('content-type')).toBe('application/json');
    expect((await call('POST', WIDGETS, 'k8s\0', typed(protobuf))).status).toBe(415);
  });

  it('include a Table with the declared columns, and metadata alone', async () => {
    const { call } = await startWithOne();
    const table = await call(
      'GET',
      WIDGETS,
      undefined,
      accepting('application/json;as=Table;v=v1;g=meta.k8s.io'),
    );
    expect(table.json).toMatchObject({
      columnDefinitions: [{ name: 'Name' }, { name: 'Size', type: 'integer' }],
      rows: [{ cells: ['a', 1] }],
    });
    const metadata = await call(
      'GET',
      WIDGETS,
      undefined,
      accepting('application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'),
    );
    expect(metadata.json).toMatchObject({
      kind: 'PartialObjectMetadataList',
      items: [{ metadata: { name: 'a' } }],
    });
  });
});
