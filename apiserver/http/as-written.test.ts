import { beforeEach, describe, expect, it } from 'vitest';
import { startServer } from '../extensions/extensions.fixture.ts';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';

let send: (method: string, url: string, body: string, type?: string) => Promise<readonly [number, unknown]>;

const deployment = (replicas: string, labels = '{"a":"b"}'): string =>
  `{"metadata":{"name":"web"},"spec":{"replicas":${replicas},"selector":{"matchLabels":{"a":"b"}},` +
  `"template":{"metadata":{"labels":${labels}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`;

beforeEach(async () => {
  const { caller } = await startServer();
  send = async (method, url, body, type = 'application/json') => {
    const headers = { 'content-type': type };
    const response = await caller.request(method, url, { body: Buffer.from(body), headers });
    const json = JSON.parse(await response.text()) as { readonly message?: string; readonly spec?: unknown };
    return [response.status, json.message ?? json.spec];
  };
});

describe('a number that is written with a fraction', () => {
  it('is no integer in a body, nor in a merge patch', async () => {
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

  it('is taken for one in a strategic merge patch', async () => {
    await send('POST', DEPLOYMENTS, deployment('3'));
    expect(await send('PATCH', `${DEPLOYMENTS}/web`, '{"spec":{"replicas":4.0}}', STRATEGIC)).toEqual([
      200,
      expect.objectContaining({ replicas: 4 }) as object,
    ]);
  });
});

describe('a map that is given and empty', () => {
  const refusal = (shown: string): object =>
    expect.stringContaining(
      `spec.template.metadata.labels: Invalid value: map[string]string${shown}: \`selector\` does not match`,
    ) as object;

  it('is told from none where it is refused', async () => {
    expect(await send('POST', DEPLOYMENTS, deployment('1', '{}'))).toEqual([422, refusal('{}')]);
    expect(await send('POST', DEPLOYMENTS, deployment('1', 'null'))).toEqual([422, refusal('(nil)')]);
    await send('POST', DEPLOYMENTS, deployment('1'));
    const patch = '{"spec":{"template":{"metadata":{"labels":{"a":null}}}}}';
    expect(await send('PATCH', `${DEPLOYMENTS}/web`, patch, MERGE)).toEqual([422, refusal('{}')]);
    expect(await send('PUT', `${DEPLOYMENTS}/web`, deployment('1', '{}'))).toEqual([422, refusal('{}')]);
  });
});
