import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Api, type Json, createApi } from '../e2e/api.ts';
import { createWorkbench } from '../e2e/process.ts';
import { recordNotRun } from '../services.ts';

/**
 * Types of `@apidevtools/swagger-parser` that are used here. They are declared here, because the package is
 * not installed where the project is built.
 */
interface SwaggerParser {
  /** Rejects with all violations of the schema and rules of the document's OpenAPI version. */
  validate(document: object): Promise<object>;
}

const SUITE = 'a validator of OpenAPI documents';
const entry = join(import.meta.dirname, 'node_modules', '@apidevtools', 'swagger-parser', 'lib', 'index.js');

async function findParser(): Promise<SwaggerParser | undefined> {
  if (existsSync(entry)) {
    const { default: parser } = (await import(/* @vite-ignore */ pathToFileURL(entry).href)) as {
      default: SwaggerParser;
    };
    return parser;
  }
  recordNotRun(SUITE, '@apidevtools/swagger-parser is not installed (npm ci --prefix test/interop)');
  return undefined;
}

const found = await findParser();

/** Custom resource whose schema uses JSON Schema features that OpenAPI writes differently. */
const definition = {
  metadata: { name: 'boats.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'boats', kind: 'Boat' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                'x-kubernetes-preserve-unknown-fields': true,
                properties: {
                  length: {
                    anyOf: [{ type: 'integer' }, { type: 'string' }],
                    'x-kubernetes-int-or-string': true,
                  },
                  owner: { type: 'string', nullable: true, default: null },
                  crew: {
                    type: 'array',
                    items: { type: 'string', minLength: 1 },
                    'x-kubernetes-list-type': 'set',
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};

describe.skipIf(found === undefined)(SUITE, () => {
  const parser = found as SwaggerParser;
  const bench = createWorkbench();
  let api: Api;
  const documentAt = async (path: string): Promise<Json> => {
    const { status, json } = await api.call('GET', path);
    expect(status, path).toBe(200);
    return json;
  };

  beforeAll(async () => {
    const folder = join(bench.folder(), 'data');
    const argv = ['apiserver', '--data-dir', folder, '--secure-port', '0', '--vocabulary', 'kubernetes'];
    await bench.orch(argv).output(/^ready https/m);
    api = createApi(join(folder, 'admin.conf'));
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    expect((await api.call('POST', definitions, { body: definition })).status).toBe(201);
    await vi.waitFor(async () => expect((await api.call('GET', '/apis/example.com/v1')).status).toBe(200), {
      timeout: 10_000,
    });
  });
  afterAll(async () => {
    await api.close();
    await bench.close();
  });

  it('accepts the version 2 document', async () => {
    const document = await documentAt('/openapi/v2');
    expect(document).toMatchObject({ swagger: '2.0', definitions: expect.anything() });
    await parser.validate(document);
  });

  it('accepts every version 3 document', async () => {
    const { paths } = await documentAt('/openapi/v3');
    const served = Object.values(paths as Record<string, { readonly serverRelativeURL?: string }>);
    expect(served.length).toBeGreaterThan(30);
    for (const { serverRelativeURL = '' } of served)
      await parser.validate(await documentAt(serverRelativeURL));
  });

  it('rejects an invalid document', async () => {
    const document = await documentAt('/openapi/v2');
    await expect(parser.validate({ ...document, definitions: {} })).rejects.toThrow(/definitions/);
  });
});
