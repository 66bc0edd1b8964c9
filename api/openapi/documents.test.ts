import { describe, expect, it } from 'vitest';
import { builtinKinds, cronJobs, formerKinds, pods, serviceAccounts } from '../groups/index.ts';
import { type AnyKind, createScheme } from '../kinds/scheme.ts';
import { structuralOf } from '../structural/structural.ts';
import { kubernetesVocabulary, orchVocabulary } from '../vocabulary/vocabulary.ts';
import { createOpenApi } from './documents.ts';
import { encodeSwagger } from './protobuf.ts';

const KINDS = [cronJobs, pods, serviceAccounts] as unknown as readonly AnyKind[];
const openApi = createOpenApi(createScheme(kubernetesVocabulary, KINDS), 'v1.24.17');

/** Every `$ref` in a document. */
const referencesOf = (document: unknown): string[] =>
  [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, target = '']) => target);

describe('the OpenAPI version 2 document', () => {
  const document = openApi.v2();

  it('defines everything it refers to', () => {
    const document = createOpenApi(createScheme(kubernetesVocabulary, builtinKinds), 'v1').v2();
    const names = referencesOf(document).map((target) => target.replace('#/definitions/', ''));
    expect(names.filter((name) => !(name in document.definitions))).toEqual([]);
  });

  it.each([
    ['api.core.v1.Pod', 'apiVersion', 'APIVersion defines'],
    ['api.core.v1.Pod', 'metadata', "Standard object's metadata"],
    ['apimachinery.pkg.apis.meta.v1.ObjectMeta', 'creationTimestamp', 'CreationTimestamp is a timestamp'],
  ])('begins what it says of %s, %s, as clients look for it', (type, field, beginning) => {
    const { description } = document.definitions[`io.k8s.${type}`]?.properties?.[field] ?? {};
    expect(description?.slice(0, beginning.length)).toBe(beginning);
  });

  it('describes every type and every property, lists and scalars too', () => {
    const all = [...builtinKinds, ...formerKinds];
    const { definitions } = createOpenApi(createScheme(kubernetesVocabulary, all), 'v1').v2();
    const silent = Object.entries(definitions).flatMap(([name, { description, properties = {} }]) => [
      ...(description?.endsWith('.') === true ? [] : [name]),
      ...Object.entries(properties).flatMap(([field, each]) =>
        each.description?.endsWith('.') === true ? [] : [`${name} ${field}`],
      ),
    ]);
    expect(silent).toEqual([]);
  });

  it.each(['List of pods', 'list of returned', 'Watch for changes to the described resources'])(
    'has the words that the tests of a real client look for: %s',
    (words) => expect(JSON.stringify(document).includes(words)).toBe(true),
  );

  it('says what is required, how lists merge and of which kind a type is', () => {
    const definition = document.definitions['io.k8s.api.batch.v1.CronJob'];
    expect(definition?.['x-kubernetes-group-version-kind']).toEqual([
      { group: 'batch', version: 'v1', kind: 'CronJob' },
    ]);
    const spec = document.definitions['io.k8s.api.batch.v1.CronJobSpec'];
    expect(spec?.required).toEqual(['jobTemplate', 'schedule']);
    const podSpec = document.definitions['io.k8s.api.core.v1.PodSpec'];
    expect(podSpec?.properties?.['containers']).toMatchObject({
      type: 'array',
      'x-kubernetes-patch-merge-key': 'name',
      'x-kubernetes-patch-strategy': 'merge',
    });
  });

  it('offers dryRun and fieldValidation on patches', () => {
    const patch = document.paths['/apis/batch/v1/namespaces/{namespace}/cronjobs/{name}']?.patch;
    const names = patch?.parameters.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['dryRun', 'fieldValidation', 'force', 'name', 'namespace']),
    );
    expect(patch?.['x-kubernetes-group-version-kind']).toEqual({
      group: 'batch',
      version: 'v1',
      kind: 'CronJob',
    });
  });

  it('has the older paths of watches, and what can be connected to', () => {
    const operationAt = (path: string): unknown => document.paths[path]?.get;
    expect(operationAt('/api/v1/watch/namespaces/{namespace}/pods')).toMatchObject({
      operationId: 'watchCoreV1NamespacedPodList',
      'x-kubernetes-action': 'watchlist',
    });
    expect(operationAt('/api/v1/namespaces/{namespace}/pods/{name}/log')).toMatchObject({
      operationId: 'readCoreV1NamespacedPodLog',
      produces: ['*/*'],
      responses: { '200': { schema: { type: 'string' } } },
      'x-kubernetes-group-version-kind': { group: '', version: 'v1', kind: 'Pod' },
    });
    expect(operationAt('/api/v1/namespaces/{namespace}/pods/{name}/proxy/{path}')).toMatchObject({
      operationId: 'connectCoreV1GetNamespacedPodProxyWithPath',
      'x-kubernetes-action': 'connect',
    });
  });

  it('writes no other product word than that of its vocabulary', () => {
    const orch = createOpenApi(createScheme(orchVocabulary, KINDS), 'v1.24.17');
    expect(JSON.stringify(orch.v2().definitions)).not.toMatch(/kubernetes|k8s/);
  });
});

describe('the OpenAPI version 3 documents', () => {
  it('are one for each group version and define everything they refer to', () => {
    expect(openApi.v3Paths()).toEqual(['api/v1', 'apis/batch/v1']);
    const everything = createOpenApi(
      createScheme(kubernetesVocabulary, [...builtinKinds, ...formerKinds]),
      'v1',
    );
    for (const path of everything.v3Paths()) {
      const document = everything.v3(path) as { components: { schemas: object } };
      const names = referencesOf(document).map((target) => target.replace('#/components/schemas/', ''));
      expect(names.filter((name) => !(name in document.components.schemas))).toEqual([]);
    }
  });
});

describe('the documents of everything that is served', () => {
  const all = [...builtinKinds, ...formerKinds];
  const everything = createOpenApi(createScheme(kubernetesVocabulary, all), 'v1.24.17');
  type Paths = Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          { operationId: string; parameters: { name: string; in: string; required?: boolean }[] }
        >
      >
    >
  >;
  const documents: readonly (readonly [name: string, paths: Paths])[] = [
    ['version 2', everything.v2().paths as unknown as Paths],
    ...everything
      .v3Paths()
      .map((path) => [path, (everything.v3(path) as { readonly paths: Paths }).paths] as const),
  ];

  it.each(documents)(
    '%s: each operation has an id of its own, and exactly the parameters of its path',
    (_name, paths) => {
      const ids = new Set<string>();
      for (const [path, operations] of Object.entries(paths)) {
        const templates = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name).sort();
        for (const { operationId, parameters } of Object.values(operations)) {
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
    },
  );
});

describe('patches', () => {
  const contentOf = (kind: AnyKind): string[] => {
    const document = createOpenApi(createScheme(kubernetesVocabulary, [kind]), 'v1').v3('api/v1') as {
      readonly paths: Readonly<
        Record<string, { readonly patch?: { readonly requestBody: { readonly content: object } } }>
      >;
    };
    const patch = Object.values(document.paths).find((path) => path.patch)?.patch;
    return Object.keys(patch?.requestBody.content ?? {});
  };
  const pod = pods as unknown as AnyKind;
  const STRATEGIC = 'application/strategic-merge-patch+json';

  it('are offered in every form, but never merged strategically into a custom resource', () => {
    expect(contentOf(pod)).toContain(STRATEGIC);
    const root = structuralOf({ type: 'object' });
    const custom = contentOf({ ...pod, schema: { ...pod.schema, root } });
    expect(custom).toContain('application/merge-patch+json');
    expect(custom).not.toContain(STRATEGIC);
  });
});

describe('the protobuf form', () => {
  it('has the field numbers of gnostic', () => {
    const bytes = encodeSwagger({
      swagger: '2.0',
      info: { title: 'T', version: 'v1' },
      paths: {},
      definitions: { A: { type: 'object', properties: { b: { $ref: '#/definitions/B' } }, 'x-c': [1] } },
    });
    // swagger 1, info 2 {1, 2}, paths 8, definitions 9 { 1 { name 1, value 2 { type 22, properties 25, extension 31 } } }
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
      ].join(''),
    );
  });

  it('has what custom resources say of their values, zero being none', () => {
    const A = {
      maximum: 1.5,
      exclusiveMinimum: true,
      maxLength: 300,
      minItems: 0,
      pattern: '^a',
      title: 'T',
    };
    const bytes = encodeSwagger({
      swagger: '2.0',
      info: { title: '', version: '' },
      paths: {},
      definitions: { A },
    });
    // title 3, maximum 7, exclusiveMinimum 10, maxLength 11, pattern 13
    expect(bytes.toString('hex')).toContain('1a0154' + '39000000000000f83f' + '5001' + '58ac02' + '6a025e61');
  });
});
