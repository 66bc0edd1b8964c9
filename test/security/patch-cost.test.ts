import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LONG } from '../long.ts';
import {
  type Cost,
  type CostServer,
  type CostlyRequest,
  expectWithin,
  limitsAt,
  measure,
  startCostServer,
} from './cost.ts';
import { slowness } from '../processor-time.ts';

// Applies the four patch types to large stored objects. Each patch changes every item of objects with n and
// with 4n items.

/** Number of items of the smaller object. */
const SMALL = LONG ? 1_000 : 300;
const RUNS = LONG ? 5 : 2;
/** Maximum growth of the processor time of a patch, relative to the growth of the number of items. */
const GROWTH = 1.5;
/** Measurement error in milliseconds. */
const NOISE_MS = 15;

interface Patched {
  /** Path of the object's collection. */
  readonly path: string;
  readonly object: (name: string, items: number, value: string) => object;
  /** Returns the JSON pointer to the value of an item. Merge patches are built from it too. */
  readonly pointer: (item: number) => string;
  readonly strategic: boolean;
}

const numbered = (items: number): number[] => Array.from({ length: items }, (_, at) => at);
const mapped = (items: number, value: string): object =>
  Object.fromEntries(numbered(items).map((at) => [`k${at}`, value]));
const widgets = '/apis/example.com/v1/namespaces/default/widgets';

const kinds: { readonly [name: string]: Patched } = {
  ConfigMap: {
    path: '/api/v1/namespaces/default/configmaps',
    object: (name, items, value) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name },
      data: mapped(items, value),
    }),
    pointer: (item) => `/data/k${item}`,
    strategic: true,
  },
  Deployment: {
    path: '/apis/apps/v1/namespaces/default/deployments',
    object: (name, items, value) => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: {
            containers: [
              { name: 'c', image: 'i', env: numbered(items).map((at) => ({ name: `E${at}`, value })) },
            ],
          },
        },
      },
    }),
    pointer: (item) => `/spec/template/spec/containers/0/env/${item}/value`,
    strategic: true,
  },
  Endpoints: {
    path: '/api/v1/namespaces/default/endpoints',
    object: (name, items, value) => ({
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { name },
      subsets: [
        {
          addresses: numbered(items).map((at) => ({ ip: `10.1.${at >> 8}.${at & 255}`, hostname: value })),
          ports: [{ port: 80 }],
        },
      ],
    }),
    pointer: (item) => `/subsets/0/addresses/${item}/hostname`,
    strategic: true,
  },
  'custom resource': {
    path: widgets,
    object: (name, items, value) => ({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name },
      spec: { parts: numbered(items).map((at) => ({ name: `p${at}`, value })), tags: mapped(items, value) },
    }),
    pointer: (item) => `/spec/parts/${item}/value`,
    strategic: false,
  },
};

const text = { type: 'string' };
const definition = {
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    names: { kind: 'Widget', listKind: 'WidgetList', plural: 'widgets', singular: 'widget' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  tags: { type: 'object', additionalProperties: text },
                  parts: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: { type: 'object', required: ['name'], properties: { name: text, value: text } },
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

/** Returns the patches of one object, by type. */
function patchesOf(kind: Patched, name: string, items: number): { readonly [type: string]: CostlyRequest } {
  const path = `${kind.path}/${name}?dryRun=All`;
  const patch = (contentType: string, body: unknown, query = ''): CostlyRequest => ({
    method: 'PATCH',
    path: `${path}${query}`,
    contentType,
    body: JSON.stringify(body),
  });
  const changed = kind.object(name, items, 'new');
  const operations = numbered(items).map((at) => ({ op: 'replace', path: kind.pointer(at), value: 'new' }));
  return {
    'JSON patch': patch('application/json-patch+json', operations),
    'merge patch': patch('application/merge-patch+json', changed),
    ...(kind.strategic && {
      'strategic merge patch': patch('application/strategic-merge-patch+json', changed),
    }),
    apply: patch('application/apply-patch+yaml', changed, '&fieldManager=other&force=true'),
  };
}

const typeOf = ['JSON patch', 'merge patch', 'strategic merge patch', 'apply'];

let server: CostServer;
let slow = 1;

const expectWithinBudget = (cost: Cost): void => expectWithin(cost, limitsAt(slow));

beforeAll(async () => {
  slow = slowness();
  server = await startCostServer();
  await server.prepare('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  await server.eventually(
    async () => (await measure(server, { method: 'GET', path: widgets }, 1)).status === 200,
  );
  for (const kind of Object.values(kinds))
    for (const items of [SMALL, 4 * SMALL])
      await server.prepare('POST', kind.path, kind.object(`n${items}`, items, 'old'));
}, 60_000);
afterAll(() => server.stop());

describe.each(Object.entries(kinds))('a patch of a large %s', (_name, kind) => {
  it.each(typeOf.filter((type) => kind.strategic || type !== 'strategic merge patch'))(
    'takes time linear in its items, within the budget: %s',
    async (type) => {
      const costOf = (items: number): Promise<Cost> => {
        const request = patchesOf(kind, `n${items}`, items)[type];
        if (request === undefined) throw new Error(`no ${type}`);
        return measure(server, request, RUNS, limitsAt(slow));
      };
      const [few, many] = [await costOf(SMALL), await costOf(4 * SMALL)];
      expect(few).toMatchObject({ status: 200 });
      expect([200, 413]).toContain(many.status);
      expect(many.cpuMs).toBeLessThan(4 * GROWTH * few.cpuMs + NOISE_MS * slow);
      expectWithinBudget(few);
      expectWithinBudget(many);
    },
  );
});

describe('a short patch with expensive operations', () => {
  const MANY = 9_000;
  const list = (op: object) => Array.from({ length: MANY }, () => op);
  const long = 4 * SMALL;
  const part = (at: number): string => `/spec/parts/${at}`;
  const strategic = (items: readonly object[]): object => ({
    spec: { template: { spec: { containers: items } } },
  });

  it.each<[string, string, string, unknown]>([
    ['moves in a long list', 'widgets', 'json', list({ op: 'move', from: part(0), path: part(long - 1) })],
    ['additions before a long list', 'widgets', 'json', list({ op: 'add', path: part(0), value: {} })],
    [
      'copies of a long list',
      'widgets',
      'json',
      list({ op: 'copy', from: '/spec/parts', path: '/metadata/annotations' }),
    ],
    [
      'tests of a long list',
      'widgets',
      'json',
      list({ op: 'test', path: '/spec/parts', value: [{ name: 'p0' }] }),
    ],
    ['pointers of megabytes', 'widgets', 'json', [{ op: 'test', path: '/a'.repeat(1_000_000) }]],
    ['replacing the document', 'widgets', 'json', list({ op: 'replace', path: '', value: { a: 1 } })],
    ['keys of one map', 'configmaps', 'merge', { data: mapped(100_000, 'v') }],
    [
      'nulls',
      'configmaps',
      'merge',
      { data: Object.fromEntries(numbered(100_000).map((at) => [`x${at}`, null])) },
    ],
    [
      'items by one key',
      'deployments',
      'strategic-merge',
      strategic(numbered(50_000).map(() => ({ name: 'c', image: 'i' }))),
    ],
    [
      'deletions',
      'deployments',
      'strategic-merge',
      strategic(numbered(50_000).map((at) => ({ name: `c${at}`, $patch: 'delete' }))),
    ],
    ['items without a key', 'deployments', 'strategic-merge', strategic(list({ image: 'i'.repeat(200) }))],
  ])('stays within the budget: %s', async (_what, plural, type, body) => {
    const kind = Object.values(kinds).find(({ path }) => path.endsWith(`/${plural}`));
    const cost = await measure(
      server,
      {
        method: 'PATCH',
        path: `${kind?.path}/n${long}?dryRun=All`,
        contentType: `application/${type}-patch+json`,
        body: JSON.stringify(body),
      },
      RUNS,
      limitsAt(slow),
    );
    expect(cost.status).toBeLessThan(500);
    expectWithinBudget(cost);
  });
});
