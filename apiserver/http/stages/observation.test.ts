import { describe, expect, it } from 'vitest';
import { configMaps } from '../../../api/groups/index.ts';
import { createSimulatedClock } from '../../../base/clock/simulated.ts';
import { silentLogger } from '../../../base/log/logger.ts';
import { createMetrics } from '../../../base/metrics/metrics.ts';
import { NO_TRAIL } from '../../audit/trail.ts';
import { createInMemoryCaller } from '../in-memory.ts';
import { NOBODY } from '../pipeline.ts';
import { parseRequestInfo } from '../request-info.ts';
import { createObservation } from './observation.ts';

const WATCHED = '{group="",version="v1",kind="ConfigMap"}';

describe('the observation of a watch', () => {
  it('counts its events and their sizes, and the watcher for as long as it watches', async () => {
    const metrics = createMetrics();
    const stage = createObservation({ metrics, clock: createSimulatedClock(), log: silentLogger });
    let finish = (): void => {};
    const caller = createInMemoryCaller((http) =>
      stage.run(
        {
          http,
          info: parseRequestInfo(http.method, http.url),
          kind: configMaps,
          user: NOBODY,
          audiences: [],
          warnings: [],
          audit: NO_TRAIL,
          id: 'a',
        },
        async () => ({
          status: 200,
          headers: {},
          body: (sink) => {
            sink.write(Buffer.alloc(100));
            sink.write(Buffer.alloc(3_000));
            finish = () => sink.end();
          },
        }),
      ),
    );
    const response = await caller.request('GET', '/api/v1/configmaps?watch=1');
    const body = response.text();
    const during = (await metrics.expose()).text;
    expect(during).toContain(`apiserver_registered_watchers${WATCHED} 1`);
    expect(during).toContain(`apiserver_watch_events_total${WATCHED} 2`);
    expect(during).toContain(`apiserver_watch_events_sizes_bucket{le="1024",${WATCHED.slice(1)} 1`);
    expect(during).toContain(`apiserver_watch_events_sizes_sum${WATCHED} 3100`);
    finish();
    expect((await body).length).toBe(3_100);
    expect((await metrics.expose()).text).toContain(`apiserver_registered_watchers${WATCHED} 0`);
  });
});
