import { afterEach, describe, expect, it } from 'vitest';
import { apiServices, builtinKinds } from '../../api/groups/index.ts';
import type { APIService } from '../../api/types/apiregistration-v1.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import {
  CORE,
  GROUP,
  REGISTRATIONS,
  address,
  extensionServer,
  post,
  registration,
  service,
  startAggregated,
  startServer,
  stopServers,
} from './aggregator.fixture.ts';

afterEach(stopServers);

describe('APIService objects of the server itself', () => {
  it('exist for every group version except their own', async () => {
    const { caller, apiService } = await startServer(extensionServer());
    const { items } = await (await caller.request('GET', REGISTRATIONS)).json<{ items: APIService[] }>();
    const names = new Set(items.map(({ metadata }) => metadata?.name));
    const expected = builtinKinds
      .filter(({ group }) => group !== 'apiregistration')
      .map((kind) => `${kind.version}.${kubernetesVocabulary.group(kind.group)}`);
    expect(names).toEqual(new Set(expected));
    expect(await apiService('v1.apps')).toBe('True Local: Local APIServices are always available');
    expect(items.find(({ metadata }) => metadata?.name === 'v1.apps')?.metadata?.labels).toEqual({
      'kube-aggregator.kubernetes.io/automanaged': 'onstart',
    });
  });

  it('are listed in discovery by priority, with the registration group first', async () => {
    const { caller } = await startServer(extensionServer());
    const { groups } = await (await caller.request('GET', '/apis')).json<{ groups: { name: string }[] }>();
    const names = groups.map(({ name }) => name);
    expect(names.slice(0, 4)).toEqual([
      'apiregistration.k8s.io',
      'apps',
      'events.k8s.io',
      'authentication.k8s.io',
    ]);
    expect(names.at(-1)).toBe('flowcontrol.apiserver.k8s.io');
  });
});

describe('condition of an APIService of another server', () => {
  it('reports each missing component in turn', async () => {
    const peer = extensionServer();
    const main = await startServer(peer);
    const { finishChecks, apiService, caller } = main;
    await post(main, '/api/v1/namespaces', { metadata: { name: 'default' } });
    await post(main, REGISTRATIONS, registration());
    await finishChecks();
    expect(await apiService()).toBe('False ServiceNotFound: service/wardle in "default" is not present');
    await post(main, `${CORE}/services`, service(444));
    await finishChecks();
    expect(await apiService()).toBe(
      'False ServicePortError: service/wardle in "default" is not listening on port 443',
    );
    await caller.request('DELETE', `${CORE}/services/wardle`);
    await post(main, `${CORE}/services`, service());
    await finishChecks();
    expect(await apiService()).toBe(
      'False EndpointsNotFound: cannot find endpoints for service/wardle in "default"',
    );
    await post(main, `${CORE}/endpoints`, { metadata: { name: 'wardle' } });
    await finishChecks();
    expect(await apiService()).toBe(
      'False MissingEndpoints: endpoints for service/wardle in "default" have no addresses with port name "https"',
    );
    await caller.request('PUT', `${CORE}/endpoints/wardle`, { body: address('10.9.9.9') });
    await finishChecks();
    expect(await apiService()).toContain('False FailedDiscoveryCheck: failing or missing response from');
    await caller.request('PUT', `${CORE}/endpoints/wardle`, { body: address('10.1.1.1') });
    await finishChecks();
    expect(await apiService()).toBe('True Passed: all checks passed');
  });

  it('is false if the server never completes its response', async () => {
    const { apiService, clock, peer } = await startAggregated();
    peer.state.drips = true;
    await clock.advance(30_000 + 2 * 5_000);
    expect(await apiService()).toContain('False FailedDiscoveryCheck');
    expect(await apiService()).toContain('context deadline exceeded');
    peer.state.drips = false;
    await clock.advance(60_000);
    expect(await apiService()).toBe('True Passed: all checks passed');
  });

  it('follows a server that becomes unavailable and available again, as the metrics do', async () => {
    const { apiService, finishChecks, peer, caller } = await startAggregated();
    const metrics = async (): Promise<readonly string[]> => {
      const text = await (await caller.request('GET', '/metrics')).text();
      return text.split('\n').filter((line) => line.startsWith('aggregator_unavailable_apiservice'));
    };
    const name = `name="v1.${GROUP}"`;
    expect(await apiService()).toBe('True Passed: all checks passed');
    expect(await metrics()).toEqual([`aggregator_unavailable_apiservice{${name}} 0`]);
    peer.state.up = false;
    await finishChecks();
    expect(await metrics()).toEqual([
      `aggregator_unavailable_apiservice{${name}} 1`,
      `aggregator_unavailable_apiservice_total{${name},reason="FailedDiscoveryCheck"} 1`,
    ]);
    expect(await apiService()).toContain('False FailedDiscoveryCheck');
    const refused = await caller.request('GET', `/apis/${GROUP}/v1/flunders`);
    expect([refused.status, await refused.text()]).toEqual([503, 'service unavailable\n']);
    peer.state.up = true;
    await finishChecks();
    expect(await apiService()).toBe('True Passed: all checks passed');
  });
});

it('the registry rejects an APIService whose name differs from its group version', async () => {
  const { caller } = await startServer(extensionServer());
  const body = { ...registration(), metadata: { name: 'other' } };
  const response = await caller.request('POST', REGISTRATIONS, { body });
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({
    message:
      'APIService.apiregistration.k8s.io "other" is invalid: metadata.name: Invalid value: "other": must be `spec.version+"."+spec.group`: "v1.wardle.example.com"',
  });
  expect(apiServices.verbs).toContain('watch');
});
