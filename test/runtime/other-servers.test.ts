import { describe, expect, it } from 'vitest';
import {
  configMaps,
  cronJobs,
  cronJobsV1beta1,
  events,
  jobs,
  namespaces,
  resourceQuotas,
  secrets,
  serviceAccounts,
} from '../../api/groups/index.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { type HttpHandler, type HttpResponse, withHeaders } from '../../base/http/message.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { createControllers } from '../../controllers/index.ts';
import { controllerReference, createInMemoryTransport, runControllers } from '../../runtime/index.ts';
import { useWorld } from '../world/use-world.ts';

const refused = (code: number, reason: string): HttpResponse => ({
  status: code,
  headers: { 'content-type': 'application/json' },
  body: new TextEncoder().encode(
    JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code, message: reason }),
  ),
});

/** Creates a server without newer features. Counts the requests that needed a missing feature. */
function createOlderServer(handler: HttpHandler) {
  const met = {
    bookmarks: 0,
    apply: 0,
    reviewsOfOneself: 0,
    metadataAlone: 0,
    newestCronJob: 0,
    discoveryInOne: 0,
  };
  const older: HttpHandler = (request) => {
    const url = new URL(request.url, 'http://server');
    const { accept, 'content-type': type } = request.headers;
    if (url.searchParams.has('allowWatchBookmarks')) {
      met.bookmarks++;
      url.searchParams.delete('allowWatchBookmarks');
    }
    if (String(type).includes('apply-patch')) {
      met.apply++;
      return Promise.resolve(refused(415, 'UnsupportedMediaType'));
    }
    if (/selfsubject/.test(url.pathname)) {
      met.reviewsOfOneself++;
      return Promise.resolve(refused(404, 'NotFound'));
    }
    if (/^\/apis\/batch\/v1\/.*cronjobs/.test(url.pathname)) {
      met.newestCronJob++;
      return Promise.resolve(refused(404, 'NotFound'));
    }
    const partial = String(accept).includes('PartialObjectMetadata');
    if (partial) met.metadataAlone++;
    const aggregated = String(accept).includes('APIGroupDiscoveryList');
    if (aggregated) met.discoveryInOne++;
    const headers =
      partial || aggregated ? { ...request.headers, accept: ['application/json'] } : request.headers;
    return handler({ ...withHeaders(request, headers), url: `${url.pathname}${url.search}` });
  };
  return { handler: withoutCronJobs(older), met };
}

/** Returns the discovery of `batch/v1` without CronJobs, as in releases that did not serve them. */
const withoutCronJobs =
  (handler: HttpHandler): HttpHandler =>
  async (request) => {
    const response = await handler(request);
    if (!request.url.startsWith('/apis/batch/v1') || !(response.body instanceof Uint8Array)) return response;
    const body = JSON.parse(new TextDecoder().decode(response.body)) as { resources?: { name: string }[] };
    if (body.resources === undefined || request.url.includes('v1beta1')) return response;
    const resources = body.resources.filter(({ name }) => !name.startsWith('cronjobs'));
    return { ...response, body: new TextEncoder().encode(JSON.stringify({ ...body, resources })) };
  };

describe('against a server without bookmarks, apply, metadata-only lists, aggregated discovery, self subject reviews and batch/v1 CronJobs', () => {
  it('controllers schedule Jobs, delete garbage and empty namespaces, under the names of that system', async () => {
    const world = await useWorld({ controllers: [], vocabulary: kubernetesVocabulary });
    const { handler, met } = createOlderServer(world.server.handler);
    const peer = world.peerOf('admin', 'system:masters');
    const running = await runControllers({
      controllers: createControllers(world.settings),
      server: { transport: createInMemoryTransport({ handler, peer }) },
      vocabulary: world.vocabulary,
      environment: { clock: world.clock, random: createSeededRandom(1), log: silentLogger },
    });
    const { client, scheme } = world;
    await world.eventually(() => expect(running.manager.healthy().reasons).toEqual([]));

    await world.eventually(() => client.namespaced(serviceAccounts, 'team').get('default'));
    const template = { spec: { restartPolicy: 'Never' as const, containers: [{ name: 'c', image: 'i:1' }] } };
    await client.namespaced(cronJobsV1beta1, 'team').create({
      metadata: { name: 'often' },
      spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template } } },
    });
    await world.clock.advance(300_000);
    const jobsMade = async () => (await client.namespaced(jobs, 'team').list()).items;
    await world.eventually(async () => expect(await jobsMade()).toHaveLength(1));
    expect((await jobsMade())[0]?.metadata?.ownerReferences).toMatchObject([
      { apiVersion: 'batch/v1beta1', kind: 'CronJob' },
    ]);
    const told = async () => (await client.namespaced(events, 'team').list()).items;
    await world.eventually(async () =>
      expect((await told()).find(({ involvedObject }) => involvedObject.kind === 'CronJob')).toMatchObject({
        reason: 'SuccessfulCreate',
        involvedObject: { apiVersion: 'batch/v1beta1', name: 'often' },
        reportingComponent: 'cronjob-controller',
      }),
    );
    const { status } = await client.namespaced(cronJobs, 'team').get('often');
    expect(status?.active).toHaveLength(1);

    await client.namespaced(resourceQuotas, 'team').create({
      metadata: { name: 'few' },
      spec: { hard: { 'count/cronjobs.batch': '5' } },
    });
    await world.eventually(async () =>
      expect((await client.namespaced(resourceQuotas, 'team').get('few')).status?.used).toEqual({
        'count/cronjobs.batch': '1',
      }),
    );

    const owner = await client.namespaced(configMaps, 'team').create({ metadata: { name: 'owner' } });
    const ownerReferences = [controllerReference(scheme, configMaps, owner)];
    await client.namespaced(secrets, 'team').create({ metadata: { name: 'owned', ownerReferences } });
    await client.namespaced(configMaps, 'team').delete('owner');
    await world.eventually(() =>
      expect(client.namespaced(secrets, 'team').get('owned')).rejects.toThrow('not found'),
    );

    await client.cluster(namespaces).delete('team');
    await world.eventually(() => expect(client.cluster(namespaces).get('team')).rejects.toThrow('not found'));
    // The controllers never used apply, self subject reviews or CronJobs of batch/v1.
    expect(met).toMatchObject({ apply: 0, reviewsOfOneself: 0, newestCronJob: 0 });
    expect(met.bookmarks).toBeGreaterThan(10);
    expect(met.metadataAlone).toBeGreaterThan(10);
    expect(met.discoveryInOne).toBeGreaterThan(0);
    const stopped = running.stop();
    await world.clock.advance(5_000);
    await stopped;
  });
});
