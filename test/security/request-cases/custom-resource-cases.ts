import { LONG } from '../../long.ts';
import { type CostlyRequest, send } from '../cost.ts';
import { listed, post, type RequestCase } from './request-case.ts';

/**
 * Number of fields of a definition with 1.5 MB, upstream's limit for stored objects. A short run uses fewer.
 */
const FIELDS = LONG ? 13_000 : 4_000;

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const larges = '/apis/example.com/v1/namespaces/default/larges';

const MERGE = 'application/merge-patch+json';

const APPLY = 'application/apply-patch+yaml';

const grouped = (field: (at: number) => unknown, group: (fields: object) => unknown): object =>
  Object.fromEntries(
    listed(FIELDS / 100).map((at) => [
      `group${at}`,
      group(Object.fromEntries(listed(100).map((each) => [`field${each}`, field(each)]))),
    ]),
  );

const definition = (name: string, description: string): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${name}s.example.com` },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: `${name}s`, singular: name, kind: name, listKind: `${name}List` },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        additionalPrinterColumns: listed(100).map((at) => ({
          name: `c${at}`,
          type: 'string',
          jsonPath: `.spec.group${at % 40}.field${at}`,
        })),
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: grouped(
                  () => ({ type: 'string', description: description.repeat(60) }),
                  (properties) => ({ type: 'object', properties }),
                ),
              },
            },
          },
        },
      },
    ],
  },
});

const large = (name: string, value: string): object => ({
  apiVersion: 'example.com/v1',
  kind: 'large',
  metadata: { name },
  spec: grouped(
    () => value.repeat(100),
    (fields) => fields,
  ),
});

const change = (path: string, contentType: string, body: object, query = ''): CostlyRequest => ({
  method: 'PATCH',
  path: `${path}?dryRun=All${query}`,
  contentType,
  body: JSON.stringify(body),
});

/** Requests for large definitions and custom resources. */
export const custom: readonly RequestCase[] = [
  {
    what: 'a new definition of 1.5 MB',
    request: () => post(definitions, definition('large', 'a')),
    status: 201,
  },
  {
    what: 'a definition of 1.5 MB created by apply',
    request: () =>
      change(
        `${definitions}/larges.example.com`,
        APPLY,
        definition('large', 'a'),
        '&fieldManager=a&force=true',
      ),
    status: 201,
  },
  {
    what: 'a patch of a definition of 1.5 MB',
    prepare: async ({ prepare, eventually, caller }) => {
      await prepare('POST', definitions, definition('large', 'a'));
      await eventually(
        async () => (await send(caller, { method: 'GET', path: larges, user: 'root' })).status === 200,
      );
    },
    request: () =>
      change(`${definitions}/larges.example.com`, MERGE, { spec: { names: { shortNames: ['l'] } } }),
    status: 200,
  },
  {
    what: 'an apply that changes a definition of 1.5 MB',
    request: () =>
      change(
        `${definitions}/larges.example.com`,
        APPLY,
        definition('large', 'b'),
        '&fieldManager=a&force=true',
      ),
    status: 200,
  },
  {
    what: 'a new custom resource of 1.5 MB',
    request: () => post(larges, large('a', 'v')),
    status: 201,
  },
  {
    what: 'a patch of a custom resource of 1.5 MB',
    prepare: ({ prepare }) => prepare('POST', larges, large('a', 'v')),
    request: () => change(`${larges}/a`, MERGE, { spec: { group0: { field0: 'w' } } }),
    status: 200,
  },
  {
    what: 'an apply of a custom resource of 1.5 MB',
    request: () => change(`${larges}/a`, APPLY, large('a', 'w'), '&fieldManager=a&force=true'),
    status: 200,
  },
  {
    what: 'a custom resource of 1.5 MB as a table of many columns',
    request: () => ({
      method: 'GET',
      path: larges,
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    }),
    status: 200,
  },
  {
    what: 'deletion of a custom resource of 1.5 MB',
    request: () => ({ method: 'DELETE', path: `${larges}/a?dryRun=All` }),
    status: 200,
  },
];
