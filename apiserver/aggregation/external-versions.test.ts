import { afterEach, describe, expect, it } from 'vitest';
import {
  GROUP,
  REGISTRATIONS,
  type Started,
  post,
  registration,
  startAggregated,
  stopServers,
} from './aggregator.fixture.ts';

afterEach(stopServers);

describe('discovery with another server', () => {
  const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  interface Groups {
    items: { metadata: { name: string }; versions: { freshness: string; resources: object[] }[] }[];
  }
  const versionsOf = async ({ caller }: Started) => {
    const response = await caller.request('GET', '/apis', { headers: { accept: aggregated } });
    const { items } = await response.json<Groups>();
    return items.find(({ metadata }) => metadata.name === GROUP)?.versions;
  };

  it("lists the server's group after built-in groups and before custom groups", async () => {
    const { caller } = await startAggregated();
    const { groups } = await (await caller.request('GET', '/apis')).json<{ groups: { name: string }[] }>();
    expect(groups.at(-1)?.name).toBe(GROUP);
    expect(await (await caller.request('GET', `/apis/${GROUP}`)).json()).toMatchObject({
      name: GROUP,
      preferredVersion: { groupVersion: `${GROUP}/v1` },
    });
  });

  it("marks the server's resources as stale while the server does not respond", async () => {
    const main = await startAggregated();
    const version = {
      version: 'v1',
      resources: [
        {
          resource: 'flunders',
          responseKind: { group: GROUP, version: 'v1', kind: 'Flunder' },
          scope: 'Namespaced',
          singularResource: 'flunder',
          verbs: ['get'],
          subresources: [
            {
              subresource: 'status',
              responseKind: { group: GROUP, version: 'v1', kind: 'Flunder' },
              verbs: ['get'],
            },
          ],
        },
      ],
      freshness: 'Current',
    };
    expect(await versionsOf(main)).toEqual([version]);
    main.peer.state.up = false;
    await main.finishChecks();
    expect(await versionsOf(main)).toEqual([{ ...version, freshness: 'Stale' }]);
    expect((await main.caller.request('GET', '/apis')).status).toBe(200);
  });

  it('lists the versions of a group by priority', async () => {
    const main = await startAggregated();
    await post(main, REGISTRATIONS, registration('v2', { versionPriority: 5 }));
    await post(main, REGISTRATIONS, registration('v3', { versionPriority: 100 }));
    const group = await (
      await main.caller.request('GET', `/apis/${GROUP}`)
    ).json<{
      versions: { version: string }[];
    }>();
    expect(group.versions.map(({ version }) => version)).toEqual(['v3', 'v1', 'v2']);
  });
});

describe('OpenAPI v2 document with another server', () => {
  const PATH = `/apis/${GROUP}/v1/flunders`;
  const swagger = (description: string, etag: string) => ({
    etag,
    swagger: '2.0',
    paths: {
      [PATH]: {
        get: {
          operationId: 'listFlunders',
          responses: { 200: { description, schema: { $ref: '#/definitions/Flunder' } } },
        },
      },
    },
    definitions: { Flunder: { type: 'object' } },
  });
  const documentOf = async ({ caller }: Started) => {
    const response = await caller.request('GET', '/openapi/v2');
    const { paths, definitions } = await response.json<{
      paths: Record<string, unknown>;
      definitions: object;
    }>();
    return { etag: response.header('etag'), path: paths[PATH], definitions };
  };

  it("includes that server's part, requested again by its entity tag, until the server returns 404", async () => {
    const main = await startAggregated();
    const alone = await documentOf(main);
    expect(alone.path).toBeUndefined();
    main.peer.state.swagger = swagger('first', '"1"');
    await main.finishChecks();
    const first = await documentOf(main);
    expect(first.path).toEqual(swagger('first', '').paths[PATH]);
    expect(first.definitions).toMatchObject({ Flunder: { type: 'object' } });
    expect(first.etag).not.toBe(alone.etag);
    await main.finishChecks();
    expect(main.peer.swaggers).toEqual([200, 304]);
    main.peer.state.swagger = swagger('second', '"2"');
    main.peer.state.up = false;
    await main.finishChecks();
    expect((await documentOf(main)).etag).toBe(first.etag);
    main.peer.state.up = true;
    await main.finishChecks();
    expect((await documentOf(main)).path).toEqual(swagger('second', '').paths[PATH]);
    main.peer.state.swagger = undefined;
    await main.finishChecks();
    expect(await documentOf(main)).toEqual(alone);
  });

  it("includes that server's part in protobuf until the APIService is deleted", async () => {
    const main = await startAggregated();
    main.peer.state.swagger = swagger('first', '"1"');
    await main.finishChecks();
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    const binary = async () =>
      (await main.caller.request('GET', '/openapi/v2', { headers: { accept } })).text();
    expect(await binary()).toContain('listFlunders');
    await main.caller.request('DELETE', `${REGISTRATIONS}/v1.${GROUP}`);
    expect(await binary()).not.toContain('listFlunders');
    expect((await documentOf(main)).path).toBeUndefined();
  });
});
