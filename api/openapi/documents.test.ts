import { describe, expect, it } from 'vitest';
import { builtinKinds, cronJobs, formerKinds, pods, serviceAccounts } from '../groups/index.ts';
import { type AnyKind, createScheme } from '../kinds/scheme.ts';
import { structuralOf } from '../structural/structural.ts';
import { kubernetesVocabulary, orchVocabulary } from '../vocabulary/vocabulary.ts';
import type { Definitions, OpenApiSchema } from './dialect.ts';
import { createOpenApi } from './documents.ts';
import { encodeSwagger } from './protobuf.ts';

const KINDS = [cronJobs, pods, serviceAccounts] as unknown as readonly AnyKind[];
const openApi = createOpenApi(createScheme(kubernetesVocabulary, KINDS), { version: 'v1.24.17' });

const META = '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.';
const EXTENSIONS = 'apiextensions-apiserver.pkg.apis.apiextensions.v1';

/** Returns every `$ref` in a document. */
const referencesOf = (document: unknown): string[] =>
  [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, target = '']) => target);

describe('the OpenAPI version 2 document', () => {
  const document = openApi.v2();

  it('defines everything it refers to', () => {
    const document = createOpenApi(createScheme(kubernetesVocabulary, builtinKinds), { version: 'v1' }).v2();
    const names = referencesOf(document).map((target) => target.replace('#/definitions/', ''));
    expect(names.filter((name) => !(name in document.definitions))).toEqual([]);
  });

  it.each([
    ['api.core.v1.Pod', 'apiVersion', 'APIVersion defines'],
    ['api.core.v1.Pod', 'metadata', "Standard object's metadata"],
    ['apimachinery.pkg.apis.meta.v1.ObjectMeta', 'creationTimestamp', 'CreationTimestamp is a timestamp'],
  ])('begins the description of %s, %s, with the words that clients look for', (type, field, beginning) => {
    const { description } = document.definitions[`io.k8s.${type}`]?.properties?.[field] ?? {};
    expect(description?.slice(0, beginning.length)).toBe(beginning);
  });

  it('declares bearer tokens in JSON of both versions', () => {
    const byToken = { BearerToken: expect.objectContaining({ name: 'authorization', in: 'header' }) };
    const said = { securityDefinitions: byToken, security: [{ BearerToken: [] }] };
    expect(document).toMatchObject(said);
    expect(JSON.parse(openApi.v2Json().toString())).toEqual(JSON.parse(JSON.stringify(document)));
    expect(openApi.v3('apis/batch/v1')).toMatchObject({ components: { securitySchemes: byToken } });
  });

  it('describes every type and every property, including lists and scalars', () => {
    const all = [...builtinKinds, ...formerKinds];
    const { definitions } = createOpenApi(createScheme(kubernetesVocabulary, all), { version: 'v1' }).v2();
    const silent = Object.entries(definitions).flatMap(([name, { description, properties = {} }]) => [
      ...(description?.endsWith('.') === true ? [] : [name]),
      ...Object.entries(properties).flatMap(([field, each]) =>
        each.description?.endsWith('.') === true ? [] : [`${name} ${field}`],
      ),
    ]);
    expect(silent).toEqual([]);
  });

  it.each(['List of pods', 'list of returned', 'Watch for changes to the described resources'])(
    'contains the words that a real client looks for: %s',
    (words) => expect(JSON.stringify(document).includes(words)).toBe(true),
  );

  it('declares required fields, list merging and the kind of a type', () => {
    const definition = document.definitions['io.k8s.api.batch.v1.CronJob'];
    expect(definition?.['x-kubernetes-group-version-kind']).toEqual([
      { group: 'batch', version: 'v1', kind: 'CronJob' },
    ]);
    const spec = document.definitions['io.k8s.api.batch.v1.CronJobSpec'];
    expect(spec?.required).toEqual(['schedule', 'jobTemplate']);
    const podSpec = document.definitions['io.k8s.api.core.v1.PodSpec'];
    expect(podSpec?.properties?.['containers']).toMatchObject({
      type: 'array',
      'x-kubernetes-patch-merge-key': 'name',
      'x-kubernetes-patch-strategy': 'merge',
    });
  });

  it('declares dryRun and fieldValidation for patches', () => {
    const patch = document.paths['/apis/batch/v1/namespaces/{namespace}/cronjobs/{name}']?.patch;
    const names = patch?.parameters?.map(({ name }) => name);
    expect(names).toEqual(['body', 'dryRun', 'fieldManager', 'fieldValidation', 'force']);
    expect(patch?.['x-kubernetes-group-version-kind']).toEqual({
      group: 'batch',
      version: 'v1',
      kind: 'CronJob',
    });
  });

  it('declares shared parameters once per path', () => {
    const names = (parameters: readonly { readonly name: string }[] = []): string[] =>
      parameters.map(({ name }) => name);
    const { parameters, put } = document.paths['/apis/batch/v1/namespaces/{namespace}/cronjobs/{name}'] ?? {};
    expect(names(parameters)).toEqual(['name', 'namespace', 'pretty']);
    expect(names(put?.parameters)).toEqual(['body', 'dryRun', 'fieldManager', 'fieldValidation']);
  });

  it('declares the responses of deletions and the watches of all namespaces', () => {
    const pathOf = (plural: string): string => `/api/v1/namespaces/{namespace}/${plural}/{name}`;
    const options = { version: 'v1', returnsDeleted: ({ plural }: AnyKind) => plural === 'pods' };
    const { paths, definitions } = createOpenApi(createScheme(kubernetesVocabulary, KINDS), options).v2();
    const deleted = (plural: string) => paths[pathOf(plural)]?.delete?.responses['200']?.schema?.$ref;
    expect(deleted('pods')).toBe('#/definitions/io.k8s.api.core.v1.Pod');
    expect(deleted('serviceaccounts')).toBe(`${META}Status`);
    const kinds =
      definitions['io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent']?.['x-kubernetes-group-version-kind'];
    expect(kinds).toEqual([
      { group: '', version: 'v1', kind: 'WatchEvent' },
      { group: 'batch', version: 'v1', kind: 'WatchEvent' },
    ]);
  });

  it.each([
    ['/api/', 'getCoreAPIVersions', 'core', `${META}APIVersions`],
    ['/apis/', 'getAPIVersions', 'apis', `${META}APIGroupList`],
    ['/apis/batch/', 'getBatchAPIGroup', 'batch', `${META}APIGroup`],
    ['/apis/batch/v1/', 'getBatchV1APIResources', 'batch_v1', `${META}APIResourceList`],
    ['/api/v1/', 'getCoreV1APIResources', 'core_v1', `${META}APIResourceList`],
    ['/version/', 'getCodeVersion', 'version', '#/definitions/io.k8s.apimachinery.pkg.version.Info'],
  ])('describes the endpoint %s', (path, operationId, tag, $ref) => {
    const operation = { operationId, tags: [tag], responses: { '200': { schema: { $ref } } } };
    expect(document.paths[path]).toMatchObject({ get: operation });
    expect(document.paths[path]?.get).not.toHaveProperty('x-kubernetes-action');
  });

  it('describes additional documents', () => {
    const keys = {
      path: '/keys',
      mediaType: 'application/jwk-set+json',
      operationId: 'getKeys',
      tag: 'keys',
      description: 'get the keys',
    };
    const options = { version: 'v1', documents: [keys] };
    const { paths } = createOpenApi(createScheme(kubernetesVocabulary, KINDS), options).v2();
    expect(paths['/keys/']?.get).toMatchObject({ operationId: 'getKeys', produces: [keys.mediaType] });
  });

  it.each([
    ['meta.v1.ManagedFieldsEntry', 'fieldsV1', 'apimachinery.pkg.apis.meta.v1.FieldsV1', 'object'],
    ['apps.v1.ControllerRevision', 'data', 'apimachinery.pkg.runtime.RawExtension', 'object'],
    ['apiextensions.v1.JSONSchemaProps', 'example', `${EXTENSIONS}.JSON`, undefined],
    ['apiextensions.v1.JSONSchemaProps', 'items', `${EXTENSIONS}.JSONSchemaPropsOrArray`, undefined],
    ['apiextensions.v1.JSONSchemaProps', 'additionalItems', `${EXTENSIONS}.JSONSchemaPropsOrBool`, undefined],
  ])('defines untyped values: %s %s', (type, field, name, of) => {
    const { definitions } = createOpenApi(createScheme(kubernetesVocabulary, builtinKinds), {
      version: 'v1',
    }).v2();
    const [, holder] = Object.entries(definitions).find(([each]) => each.endsWith(`.${type}`)) ?? [];
    expect(holder?.properties?.[field]).toMatchObject({ $ref: `#/definitions/io.k8s.${name}` });
    expect(definitions[`io.k8s.${name}`]?.type).toBe(of);
  });

  it.each([
    ['PodSpec', 'restartPolicy', ['Always', 'Never', 'OnFailure']],
    // The sizes of huge pages are open-ended: `HugePages-2Mi`.
    ['EmptyDirVolumeSource', 'medium', undefined],
    ['PodCondition', 'status', undefined],
    ['PodOS', 'name', undefined],
    ['LimitRangeItem', 'type', ['Container', 'PersistentVolumeClaim', 'Pod']],
    ['ScopedResourceSelectorRequirement', 'operator', ['DoesNotExist', 'Exists', 'In', 'NotIn']],
    [
      'ScopedResourceSelectorRequirement',
      'scopeName',
      [
        'BestEffort',
        'CrossNamespacePodAffinity',
        'NotBestEffort',
        'NotTerminating',
        'PriorityClass',
        'Terminating',
      ],
    ],
  ])('lists the values of an enumeration: %s %s', (type, field, values) => {
    const { definitions } = createOpenApi(createScheme(kubernetesVocabulary, builtinKinds), {
      version: 'v1',
    }).v2();
    expect(definitions[`io.k8s.api.core.v1.${type}`]?.properties?.[field]?.enum).toEqual(values);
  });

  it.each([
    ['ResourceQuotaSpec', 'scopes'],
    ['PersistentVolumeClaimSpec', 'accessModes'],
    ['ServiceSpec', 'ipFamilies'],
  ])('omits the values of an enumeration from lists of enumerated values: %s %s', (type, field) => {
    const { definitions } = createOpenApi(createScheme(kubernetesVocabulary, builtinKinds), {
      version: 'v1',
    }).v2();
    const items = definitions[`io.k8s.api.core.v1.${type}`]?.properties?.[field]?.items;
    expect(items).toEqual({ type: 'string' });
  });

  it('declares the field that the discriminator of a union names', () => {
    expect(document.definitions['io.k8s.api.core.v1.SeccompProfile']?.['x-kubernetes-unions']).toEqual([
      { discriminator: 'type', 'fields-to-discriminateBy': { localhostProfile: 'LocalhostProfile' } },
    ]);
  });

  it('contains the deprecated watch paths and the connect operations', () => {
    const operationAt = (path: string): unknown => document.paths[path]?.get;
    expect(operationAt('/api/v1/watch/namespaces/{namespace}/pods')).toMatchObject({
      operationId: 'watchCoreV1NamespacedPodList',
      'x-kubernetes-action': 'watchlist',
    });
    expect(operationAt('/api/v1/namespaces/{namespace}/pods/{name}/log')).toMatchObject({
      operationId: 'readCoreV1NamespacedPodLog',
      produces: ['text/plain', 'application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'],
      responses: { '200': { schema: { type: 'string' } } },
      'x-kubernetes-group-version-kind': { group: '', version: 'v1', kind: 'Pod' },
    });
    expect(operationAt('/api/v1/namespaces/{namespace}/pods/{name}/proxy/{path}')).toMatchObject({
      operationId: 'connectCoreV1GetNamespacedPodProxyWithPath',
      'x-kubernetes-action': 'connect',
    });
    expect(
      Object.keys(document.paths['/api/v1/namespaces/{namespace}/pods/{name}/proxy'] ?? {}).sort(),
    ).toEqual(['delete', 'get', 'head', 'options', 'parameters', 'patch', 'post', 'put']);
  });

  it('contains no product name except that of its vocabulary', () => {
    const orch = createOpenApi(createScheme(orchVocabulary, KINDS), { version: 'v1.24.17' });
    expect(JSON.stringify(orch.v2().definitions)).not.toMatch(/kubernetes|k8s/);
  });
});

describe('the OpenAPI version 3 documents', () => {
  it('exist for each group version and define everything they refer to', () => {
    expect(openApi.v3Paths()).toEqual(['api', 'api/v1', 'apis', 'apis/batch', 'apis/batch/v1', 'version']);
    const everything = createOpenApi(createScheme(kubernetesVocabulary, [...builtinKinds, ...formerKinds]), {
      version: 'v1',
    });
    for (const path of everything.v3Paths()) {
      const document = everything.v3(path) as { components: { schemas: object } };
      const names = referencesOf(document).map((target) => target.replace('#/components/schemas/', ''));
      expect(names.filter((name) => !(name in document.components.schemas))).toEqual([]);
    }
  });
});

describe('defaults in version 3', () => {
  const { components } = openApi.v3('api/v1') as {
    readonly components: { readonly schemas: Definitions };
  };
  const propertyOf = (type: string, name: string): OpenApiSchema | undefined =>
    components.schemas[`io.k8s.${type}`]?.properties?.[name];

  it.each<[type: string, field: string, value: unknown]>([
    ['api.core.v1.Container', 'name', ''],
    ['api.core.v1.Container', 'image', undefined],
    ['api.core.v1.Container', 'resources', {}],
    ['api.core.v1.Container', 'livenessProbe', undefined],
    ['api.core.v1.ContainerPort', 'containerPort', 0],
    ['api.core.v1.ContainerPort', 'protocol', 'TCP'],
    ['api.core.v1.ContainerStatus', 'ready', false],
    ['api.core.v1.PodSpec', 'containers', undefined],
    ['apimachinery.pkg.apis.meta.v1.ObjectMeta', 'creationTimestamp', {}],
    ['apimachinery.pkg.apis.meta.v1.ObjectMeta', 'deletionTimestamp', undefined],
  ])('depend on the Go type of the field: %s %s', (type, field, value) => {
    expect(propertyOf(type, field)).toBeDefined();
    expect(propertyOf(type, field)?.default).toEqual(value);
  });

  it('exist for list items and map values', () => {
    expect(propertyOf('api.core.v1.Container', 'args')?.items).toEqual({ type: 'string', default: '' });
    expect(propertyOf('api.core.v1.PodSpec', 'containers')?.items?.default).toEqual({});
    const labels = propertyOf('apimachinery.pkg.apis.meta.v1.ObjectMeta', 'labels');
    expect(labels?.additionalProperties).toEqual({ type: 'string', default: '' });
  });

  it('are absent in version 2, because clients would treat defaults in it as complete', () => {
    expect(JSON.stringify(openApi.v2().definitions)).not.toContain('"default":');
  });
});

describe('the operations of all served kinds', () => {
  const all = [...builtinKinds, ...formerKinds];
  const everything = createOpenApi(createScheme(kubernetesVocabulary, all), { version: 'v1.24.17' });
  type DeclaredParameter = { name: string; in: string; required?: boolean };
  type Paths = Readonly<
    Record<
      string,
      Readonly<Record<string, { operationId: string; parameters?: DeclaredParameter[] }>> & {
        parameters?: DeclaredParameter[];
      }
    >
  >;
  const documents: readonly (readonly [name: string, paths: Paths])[] = [
    ['version 2', everything.v2().paths as unknown as Paths],
    ...everything.v3Paths().map((path) => [path, everything.v3(path).paths as unknown as Paths] as const),
  ];

  it.each(documents)('have unique ids and exactly the parameters of their paths in %s', (_name, paths) => {
    const ids = new Set<string>();
    for (const [path, { parameters: shared = [], ...operations }] of Object.entries(paths)) {
      const templates = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name).sort();
      for (const { operationId, parameters: own = [] } of Object.values(operations)) {
        const parameters = [...shared, ...own];
        expect(ids).not.toContain(operationId);
        ids.add(operationId);
        const declared = parameters.filter((each) => each.in === 'path');
        expect([path, declared.map(({ name }) => name).sort()]).toEqual([path, templates]);
        expect(declared.every(({ required }) => required === true)).toBe(true);
        const places = parameters.map((each) => `${each.in} ${each.name}`);
        expect([operationId, places.length]).toEqual([operationId, new Set(places).size]);
      }
    }
    expect(ids.size).toBeGreaterThan(0);
  });
});

describe('the operations of patches', () => {
  const contentOf = (kind: AnyKind): string[] => {
    const document = createOpenApi(createScheme(kubernetesVocabulary, [kind]), { version: 'v1' }).v3(
      'api/v1',
    ) as {
      readonly paths: Readonly<
        Record<string, { readonly patch?: { readonly requestBody: { readonly content: object } } }>
      >;
    };
    const patch = Object.values(document.paths).find((path) => path.patch)?.patch;
    return Object.keys(patch?.requestBody.content ?? {});
  };
  const pod = pods as unknown as AnyKind;
  const STRATEGIC = 'application/strategic-merge-patch+json';

  it('accept every media type, except strategic merge patches for a custom resource', () => {
    expect(contentOf(pod)).toContain(STRATEGIC);
    const root = structuralOf({ type: 'object' });
    const custom = contentOf({ ...pod, schema: { ...pod.schema, root } });
    expect(custom).toContain('application/merge-patch+json');
    expect(custom).not.toContain(STRATEGIC);
  });
});

describe('the protobuf form of version 2', () => {
  it('has the field numbers of gnostic', () => {
    const bytes = encodeSwagger({
      info: { title: 'T', version: 'v1' },
      paths: {},
      definitions: { A: { type: 'object', properties: { b: { $ref: '#/definitions/B' } }, 'x-c': [1] } },
    });
    // Field numbers: swagger 1, info 2 {1, 2}, paths 8, definitions 9 { 1 { name 1, value 2 { type 22, properties 25, extension 31 } } },
    // security 12, securityDefinitions 13 { 1 { name 1, value 2 { apiKey 2 { type 1, name 2, in 3, description 4 } } } }
    const hex = (value: string): string => Buffer.from(value).toString('hex');
    const reference = Buffer.from('#/definitions/B').toString('hex');
    expect(bytes.toString('hex')).toBe(
      [
        '0a03322e30',
        '12070a015412027631',
        '4200',
        '4a3d0a3b0a01411236',
        'b201080a066f626a656374',
        `ca01180a160a016212110a0f${reference}`,
        'fa010d0a03782d63120612045b315d0a',
        `62110a0f0a0b${hex('BearerToken')}1200`,
        `6a4f0a4d0a0b${hex('BearerToken')}123e123c0a06${hex('apiKey')}120d${hex('authorization')}`,
        `1a06${hex('header')}221b${hex('Bearer Token authentication')}`,
      ].join(''),
    );
  });

  it('has the constraints of custom resources, except zero values', () => {
    const A = {
      maximum: 1.5,
      exclusiveMinimum: true,
      maxLength: 300,
      minItems: 0,
      pattern: '^a',
      title: 'T',
    };
    const bytes = encodeSwagger({
      info: { title: '', version: '' },
      paths: {},
      definitions: { A },
    });
    // Field numbers: title 3, maximum 7, exclusiveMinimum 10, maxLength 11, pattern 13
    expect(bytes.toString('hex')).toContain('1a0154' + '39000000000000f83f' + '5001' + '58ac02' + '6a025e61');
  });
});
