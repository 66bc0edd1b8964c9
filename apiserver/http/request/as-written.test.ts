import { beforeEach, describe, expect, it } from 'vitest';
import { WIDGETS, startServer, widgets } from '../../extensions/extensions.fixture.ts';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';

let server: Awaited<ReturnType<typeof startServer>>;
let text: (method: string, url: string, body?: string, type?: string) => Promise<string>;
let send: (method: string, url: string, body: string, type?: string) => Promise<readonly [number, unknown]>;

const deployment = (replicas: string, labels = '{"a":"b"}'): string =>
  `{"metadata":{"name":"web"},"spec":{"replicas":${replicas},"selector":{"matchLabels":{"a":"b"}},` +
  `"template":{"metadata":{"labels":${labels}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`;

beforeEach(async () => {
  server = await startServer();
  const request = (method: string, url: string, body = '', type = 'application/json') => {
    const headers = { 'content-type': type };
    return server.caller.request(method, url, { ...(body && { body: Buffer.from(body) }), headers });
  };
  text = async (...given) => (await request(...given)).text();
  send = async (...given) => {
    const response = await request(...given);
    const json = JSON.parse(await response.text()) as { readonly message?: string; readonly spec?: unknown };
    return [response.status, json.message ?? json.spec];
  };
});

describe('a number written with a fraction', () => {
  it('is rejected for an integer field in a body or merge patch', async () => {
    const refusal =
      'json: cannot unmarshal number 3.0 into Go struct field DeploymentSpec.spec.replicas of type int32';
    expect(await send('POST', DEPLOYMENTS, deployment('3.0'))).toEqual([
      400,
      `Deployment in version "v1" cannot be handled as a Deployment: ${refusal}`,
    ]);
    expect((await send('POST', DEPLOYMENTS, deployment('3')))[0]).toBe(201);
    const [status, message] = await send('PATCH', `${DEPLOYMENTS}/web`, '{"spec":{"replicas":3.0}}', MERGE);
    expect([status, message]).toEqual([422, expect.stringContaining(refusal) as string]);
  });

  it('is accepted as an integer in a strategic merge patch', async () => {
    await send('POST', DEPLOYMENTS, deployment('3'));
    expect(await send('PATCH', `${DEPLOYMENTS}/web`, '{"spec":{"replicas":4.0}}', STRATEGIC)).toEqual([
      200,
      expect.objectContaining({ replicas: 4 }) as object,
    ]);
  });
});

describe('an empty map', () => {
  const refusal = (shown: string): object =>
    expect.stringContaining(
      `spec.template.metadata.labels: Invalid value: map[string]string${shown}: \`selector\` does not match`,
    ) as object;

  it('is distinguished from a missing map in error messages', async () => {
    expect(await send('POST', DEPLOYMENTS, deployment('1', '{}'))).toEqual([422, refusal('{}')]);
    expect(await send('POST', DEPLOYMENTS, deployment('1', 'null'))).toEqual([422, refusal('(nil)')]);
    await send('POST', DEPLOYMENTS, deployment('1'));
    const patch = '{"spec":{"template":{"metadata":{"labels":{"a":null}}}}}';
    expect(await send('PATCH', `${DEPLOYMENTS}/web`, patch, MERGE)).toEqual([422, refusal('{}')]);
    expect(await send('PUT', `${DEPLOYMENTS}/web`, deployment('1', '{}'))).toEqual([422, refusal('{}')]);
  });
});

describe('an integer that doubles cannot represent', () => {
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            count: { type: 'integer' },
            most: { type: 'integer', default: 9223372036854775806n },
            ids: { type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'set' },
          },
        },
      },
    },
  };
  const columns = [{ name: 'N', type: 'integer', jsonPath: '.spec.count' }];
  const widgetText = (spec: string): string =>
    `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":${spec}}`;

  beforeEach(async () => {
    await server.define(widgets(['v1'], {}, { schema, additionalPrinterColumns: columns }));
  });

  it('is exact in a custom resource and its defaults through patches and updates', async () => {
    const made = await text('POST', WIDGETS, widgetText('{"count":9223372036854775807}'));
    expect(made).toContain('"spec":{"count":9223372036854775807,"most":9223372036854775806}');
    expect(await text('GET', `${WIDGETS}/a`)).toBe(made);
    const one = '{"spec":{"count":9007199254740993}}';
    expect(await text('PATCH', `${WIDGETS}/a`, one, MERGE)).toContain('"count":9007199254740993,');
    // The two numbers would be equal as doubles, and the update would change nothing.
    const other =
      '[{"op":"test","path":"/spec/count","value":9007199254740993},{"op":"replace","path":"/spec/count","value":9007199254740992}]';
    expect(await text('PATCH', `${WIDGETS}/a`, other, 'application/json-patch+json')).toContain(
      '"count":9007199254740992,',
    );
    const yaml =
      'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: b}\nspec: {count: -9223372036854775808}\n';
    expect(await text('POST', WIDGETS, yaml, 'application/yaml')).toContain('"count":-9223372036854775808,');
  });

  it('is exact in the ownership of an applied set', async () => {
    const applied = await text(
      'PATCH',
      `${WIDGETS}/a?fieldManager=m`,
      widgetText('{"ids":[9007199254740993,9007199254740992]}'),
      'application/apply-patch+yaml',
    );
    expect(applied).toContain('"ids":[9007199254740993,9007199254740992]');
    expect(applied).toContain('"f:ids":{"v:9007199254740992":{},"v:9007199254740993":{}}');
  });

  it('is exact in a cell of a Table', async () => {
    await text('POST', WIDGETS, widgetText('{"count":9007199254740993}'));
    const accept = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const table = await server.caller.request('GET', WIDGETS, { headers: accept });
    expect(await table.text()).toContain('"cells":["a",9007199254740993]');
  });

  it('is exact in a 64-bit field, and rejected if it exceeds 64 bits', async () => {
    const pod = (seconds: string): string =>
      `{"metadata":{"name":"a"},"spec":{"terminationGracePeriodSeconds":${seconds},"containers":[{"name":"c","image":"i"}]}}`;
    const pods = '/api/v1/namespaces/default/pods';
    expect(await text('POST', pods, pod('9223372036854775807'))).toContain(
      '"terminationGracePeriodSeconds":9223372036854775807',
    );
    expect(await send('POST', pods, pod('9223372036854775808'))).toEqual([
      400,
      'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal number 9223372036854775808 ' +
        'into Go struct field PodSpec.spec.terminationGracePeriodSeconds of type int64',
    ]);
  });

  it('is rejected if it is larger than any double', async () => {
    expect(await send('POST', WIDGETS, widgetText('{"count":1e400}'))).toEqual([
      400,
      'Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal number 1e400 into Go value of type float64',
    ]);
  });
});
