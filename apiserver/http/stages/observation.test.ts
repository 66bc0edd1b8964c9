import { describe, expect, it } from 'vitest';
import { configMaps } from '../../../api/groups/index.ts';
import { createSimulatedClock } from '../../../base/clock/simulated.ts';
import { silentLogger } from '../../../base/log/logger.ts';
import { createMetrics } from '../../../base/metrics/metrics.ts';
import { createInMemoryCaller } from '../in-memory.ts';
import { createObservation } from './observation.ts';
import { contextOf } from './context.fixture.ts';

const WATCHED = '{group="",kind="ConfigMap",version="v1"}';

describe('the observation of a watch', () => {
  it('counts its events, their sizes, and the watcher while it is open', async () => {
    const metrics = createMetrics();
    const clock = createSimulatedClock();
    const stage = createObservation({ metrics, clock, log: silentLogger });
    let finish = (): void => {};
    const caller = createInMemoryCaller((http) =>
      stage.run(contextOf(http, configMaps), async () => ({
        status: 200,
        headers: {},
        body: (sink) => {
          sink.write(Buffer.alloc(100));
          sink.write(Buffer.alloc(3_000));
          finish = () => sink.end();
        },
      })),
    );
    const response = await caller.request('GET', '/api/v1/configmaps?watch=1');
    const body = response.text();
    const during = (await metrics.expose()).text;
    expect(during).toContain(`apiserver_registered_watchers${WATCHED} 1`);
    expect(during).toContain(`apiserver_watch_events_total${WATCHED} 2`);
    expect(during).toContain(`apiserver_watch_events_sizes_bucket${WATCHED.slice(0, -1)},le="1024"} 1`);
    expect(during).toContain(`apiserver_watch_events_sizes_sum${WATCHED} 3100`);
    await clock.advance(7_000);
    finish();
    expect((await body).length).toBe(3_100);
    const after = (await metrics.expose()).text;
    expect(after).toContain(`apiserver_registered_watchers${WATCHED} 0`);
    expect(after).toMatch(/apiserver_request_duration_seconds_sum\{.*verb="WATCH",.*\} 7\n/);
  });
});

it('the SLO duration of a request excludes the time of webhooks', async () => {
  const metrics = createMetrics();
  const clock = createSimulatedClock();
  const stage = createObservation({ metrics, clock, log: silentLogger });
  const caller = createInMemoryCaller((http) => {
    const context = contextOf(http, configMaps);
    return stage.run(context, async () => {
      await clock.advance(3_000);
      context.waitedMs = 2_000;
      return { status: 201, headers: {}, body: [] };
    });
  });
  await caller.request('POST', '/api/v1/namespaces/a/configmaps');
  const { text } = await metrics.expose();
  expect(text).toMatch(/apiserver_request_duration_seconds_sum\{.*\} 3\n/);
  expect(text).toMatch(/apiserver_request_slo_duration_seconds_sum\{.*\} 1\n/);
});

it.each([
  ['POST', '/api/v1/namespaces/a/configmaps', 'resource'],
  ['POST', '/api/v1/configmaps', 'resource'],
  ['PUT', '/api/v1/namespaces/a/configmaps/c', 'resource'],
  ['DELETE', '/api/v1/namespaces/a/configmaps', 'namespace'],
  ['GET', '/api/v1/configmaps', 'cluster'],
  ['GET', '/version', ''],
])('the metrics count %s %s with the scope %j', async (method, path, scope) => {
  const metrics = createMetrics();
  const stage = createObservation({ metrics, clock: createSimulatedClock(), log: silentLogger });
  const caller = createInMemoryCaller((http) =>
    stage.run(contextOf(http, configMaps), async () => ({ status: 200, headers: {}, body: [] })),
  );
  await caller.request(method, path);
  const { text } = await metrics.expose();
  expect(/apiserver_request_total\{.*scope="([a-z]*)"/.exec(text)?.[1]).toBe(scope);
});
