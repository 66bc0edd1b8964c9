import { describe, expect, it } from 'vitest';
import { CRDS, WIDGETS, conditionOf, startServer, widget, widgets } from './extensions.fixture.ts';

const NAME = 'widgets.example.com';
const ITEM = `${CRDS}/${NAME}`;

describe('definition', () => {
  it('serves its kind once it is established', async () => {
    const { call, define } = await startServer();
    expect((await call('GET', WIDGETS)).status).toBe(404);
    await define(widgets());
    expect((await call('POST', WIDGETS, widget('a'))).status).toBe(201);
    const { json } = await call('GET', ITEM);
    expect(conditionOf(json, 'NamesAccepted')).toMatchObject({
      status: 'True',
      reason: 'NoConflicts',
      message: 'no conflicts found',
    });
    expect(conditionOf(json, 'Established')).toMatchObject({
      status: 'True',
      reason: 'InitialNamesAccepted',
      message: 'the initial names have been accepted',
    });
    expect(json['status']).toMatchObject({
      acceptedNames: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wd'] },
      storedVersions: ['v1'],
    });
    expect(json.metadata?.['finalizers']).toBeUndefined();
  });

  it('includes a continue token in every list, unlike built-in kinds', async () => {
    const { call, define } = await startServer();
    await define(widgets());
    const list = async (path: string) => (await call('GET', path)).json.metadata;
    expect(await list(WIDGETS)).toMatchObject({ continue: '' });
    expect(await list(CRDS)).not.toHaveProperty('continue');
  });

  it('adds its kind to every representation of discovery and OpenAPI', async () => {
    const { call, define } = await startServer();
    await call('GET', '/openapi/v2');
    await call('GET', '/openapi/v3');
    await define(widgets());
    expect((await call('GET', '/apis')).text).toContain('"name":"example.com"');
    expect((await call('GET', '/apis/example.com')).json).toMatchObject({
      preferredVersion: { groupVersion: 'example.com/v1', version: 'v1' },
    });
    expect((await call('GET', '/apis/example.com/v1')).json).toMatchObject({
      resources: [
        {
          name: 'widgets',
          singularName: 'widget',
          kind: 'Widget',
          shortNames: ['wd'],
          verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
        },
      ],
    });
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    expect((await call('GET', '/apis', undefined, { headers: { accept } })).text).toContain(
      '"resource":"widgets"',
    );
    const swagger = await call('GET', '/openapi/v2');
    expect(Object.keys(swagger.json['definitions'] as object)).toContain('com.example.v1.Widget');
    const accept2 = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    expect((await call('GET', '/openapi/v2', undefined, { headers: { accept: accept2 } })).text).toContain(
      'com.example.v1.Widget',
    );
    expect((await call('GET', '/openapi/v3')).text).toContain('/openapi/v3/apis/example.com/v1?hash=');
    expect((await call('GET', '/openapi/v3/apis/example.com/v1')).text).toContain('com.example.v1.Widget');
  });
});

describe('a definition in the OpenAPI documents', () => {
  const V2 = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
  const V3 = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf';
  const DOCUMENTS = [
    ['/openapi/v2', 'application/json'],
    ['/openapi/v2', V2],
    ['/openapi/v3/apis/example.com/v1', 'application/json'],
    ['/openapi/v3/apis/example.com/v1', V3],
  ] as const;

  it('accepts 64-bit limits', async () => {
    const { call, established } = await startServer();
    const limits =
      '{"type":"integer","maximum":4611686018427387904,"minimum":-9223372036854775808,"multipleOf":9007199254740993,' +
      '"maxLength":9223372036854775807,"maxItems":9223372036854775807,"maxProperties":9223372036854775807}';
    const large = '{"type":"integer","default":9223372036854775807}';
    const properties = { spec: { type: 'object', properties: { a: 'LIMITS', b: 'LARGE' } } };
    const schema = { openAPIV3Schema: { type: 'object', properties } };
    const body = JSON.stringify(widgets(['v1'], {}, { schema }))
      .replace('"LIMITS"', limits)
      .replace('"LARGE"', large);
    const headers = { 'content-type': 'application/json' };
    expect((await call('POST', CRDS, Buffer.from(body), { headers })).status).toBe(201);
    await established('widgets.example.com');
    for (const [path, accept] of DOCUMENTS) {
      const { status, text } = await call('GET', path, undefined, { headers: { accept } });
      expect([path, status]).toEqual([path, 200]);
      expect(text).toContain('com.example.v1.Widget');
    }
  });
});

describe('names of a definition', () => {
  const other = (names: object) => ({
    ...widgets(['v1'], {
      names: { plural: 'gizmos', singular: 'gizmo', kind: 'Gizmo', listKind: 'GizmoList', ...names },
    }),
    metadata: { name: 'gizmos.example.com' },
  });
  const GIZMO = `${CRDS}/gizmos.example.com`;

  it.each([
    [{ singular: 'widget' }, 'SingularConflict', '"widget" is already in use'],
    [{ kind: 'Widget' }, 'KindConflict', '"Widget" is already in use'],
    [{ listKind: 'WidgetList' }, 'ListKindConflict', '"WidgetList" is already in use'],
    [{ shortNames: ['wd'] }, 'ShortNamesConflict', '"wd" is already in use'],
    [
      { shortNames: ['wd', 'widgets', 'gz'] },
      'ShortNamesConflict',
      '["wd" is already in use, "widgets" is already in use]',
    ],
  ])('conflict if another definition of the group has them: %j', async (names, reason, message) => {
    const { call, define, eventually } = await startServer();
    await define(widgets());
    expect((await call('POST', CRDS, other(names))).status).toBe(201);
    await eventually(async () => conditionOf((await call('GET', GIZMO)).json, 'NamesAccepted') !== undefined);
    const { json } = await call('GET', GIZMO);
    expect(conditionOf(json, 'NamesAccepted')).toMatchObject({ status: 'False', reason, message });
    expect(conditionOf(json, 'Established')).toMatchObject({
      status: 'False',
      reason: 'NotAccepted',
      message: 'not all names are accepted',
    });
    expect((await call('GET', '/apis/example.com/v1/gizmos')).status).toBe(404);
  });

  it('are accepted after the deletion of the definition that had them', async () => {
    const { call, define, established } = await startServer();
    await define(widgets());
    await call('POST', CRDS, other({ shortNames: ['wd'] }));
    await call('DELETE', ITEM);
    await established('gizmos.example.com');
    expect((await call('GET', '/apis/example.com/v1/gizmos')).status).toBe(200);
  });

  it('require an approval annotation in an API group of the product', async () => {
    const { call, define } = await startServer();
    const name = 'widgets.toys.k8s.io';
    await define({
      ...widgets(['v1'], { group: 'toys.k8s.io' }),
      metadata: { name, annotations: { 'api-approved.kubernetes.io': 'unapproved, a test' } },
    } as never);
    expect(
      conditionOf((await call('GET', `${CRDS}/${name}`)).json, 'KubernetesAPIApprovalPolicyConformant'),
    ).toMatchObject({
      status: 'False',
      reason: 'UnapprovedAnnotation',
      message: 'not approved: "unapproved, a test"',
    });
  });
});

describe('deleted definition', () => {
  const begin = async () => {
    const started = await startServer();
    await started.define(widgets());
    await started.call('POST', WIDGETS, widget('a'));
    const kept = { ...widget('b'), metadata: { name: 'b', finalizers: ['example.com/keep'] } };
    await started.call('POST', WIDGETS, kept);
    return started;
  };

  it('deletes its objects and removes its kind', async () => {
    const { call, define, eventually, storage } = await startServer();
    await define(widgets());
    await call('POST', WIDGETS, widget('a'));
    const deleted = await call('DELETE', ITEM);
    expect(deleted.status).toBe(200);
    expect(deleted.json.metadata?.['finalizers']).toEqual(['customresourcecleanup.apiextensions.k8s.io']);
    expect(deleted.json.metadata?.['generation']).toBe(1);
    expect(conditionOf(deleted.json, 'Terminating')).toMatchObject({
      status: 'True',
      reason: 'InstanceDeletionPending',
    });
    await eventually(async () => (await call('GET', ITEM)).status === 404);
    await eventually(async () => (await call('GET', WIDGETS)).status === 404);
    expect((await call('GET', '/apis')).text).not.toContain('example.com');
    expect((await storage.list('/registry/example.com/')).items).toEqual([]);
  });

  it('waits for finalizers of its objects and rejects new objects', async () => {
    const { call, clock, eventually } = await begin();
    await call('DELETE', ITEM);
    await eventually(async () => (await call('GET', `${WIDGETS}/a`)).status === 404);
    const refused = await call('POST', WIDGETS, widget('c'));
    expect(refused.status).toBe(405);
    expect(refused.json).toMatchObject({
      reason: 'MethodNotAllowed',
      message: 'create not allowed while custom resource definition is terminating',
    });
    const shown = await call('GET', '/apis/example.com/v1');
    expect(shown.json['resources']).toMatchObject([
      { verbs: ['delete', 'deletecollection', 'get', 'list', 'watch'] },
    ]);
    await call('PATCH', `${WIDGETS}/b`, undefined, {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { metadata: { finalizers: null } },
    });
    await clock.advance(1_000);
    await eventually(async () => (await call('GET', ITEM)).status === 404);
  });

  it('reports remaining objects after a minute', async () => {
    const { call, clock, eventually } = await begin();
    await call('DELETE', ITEM);
    const reason = async () => conditionOf((await call('GET', ITEM)).json, 'Terminating')?.reason;
    await eventually(async () => (await reason()) === 'InstanceDeletionInProgress');
    let seconds = 0;
    await eventually(async () => {
      if ((await reason()) === 'InstanceDeletionCheck') return true;
      await clock.advance(1_000);
      seconds++;
      return false;
    });
    expect(seconds).toBeGreaterThanOrEqual(60);
  });

  it('ends the watches of its kind', async () => {
    const { call, caller, define } = await startServer();
    await define(widgets());
    await call('POST', WIDGETS, widget('a'));
    const watching = await caller.request('GET', `${WIDGETS}?watch=1&resourceVersion=0`);
    await call('DELETE', ITEM);
    // The text resolves at the end of the stream.
    const lines = (await watching.text()).trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual(
      expect.arrayContaining(['ADDED']),
    );
  });
});

describe('restarted server', () => {
  it('serves established kinds before it is ready', async () => {
    const { server, storage, call, define } = await startServer();
    await define(widgets());
    await call('POST', WIDGETS, widget('a'));
    await server.stop();
    const again = await startServer({ storage });
    expect((await again.call('GET', `${WIDGETS}/a`)).status).toBe(200);
  });

  it('resumes an interrupted deletion', async () => {
    const { server, storage, call, define } = await startServer();
    await define(widgets());
    await call('POST', WIDGETS, {
      ...widget('a'),
      metadata: { name: 'a', finalizers: ['example.com/keep'] },
    });
    await call('DELETE', ITEM);
    await server.stop();
    const again = await startServer({ storage });
    await again.call('PATCH', `${WIDGETS}/a`, undefined, {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { metadata: { finalizers: null } },
    });
    await again.eventually(async () => {
      // The first check may precede the deletion of the object; the next check follows after a delay.
      await again.clock.advance(100);
      return (await again.call('GET', ITEM)).status === 404;
    });
  });
});
