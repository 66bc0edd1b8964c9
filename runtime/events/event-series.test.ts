import { describe, expect, it } from 'vitest';
import { configMaps, eventsV1 } from '../../api/groups/index.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { useWorld } from '../../test/world/use-world.ts';
import { createEventRecorder } from './event-recorder.ts';

async function setUp() {
  const { client, scheme, clock, eventually } = await useWorld({ controllers: [] });
  const object = await client.namespaced(configMaps, 'team').create({ metadata: { name: 'a' } });
  const environment = { clock, random: createSeededRandom(1), log: silentLogger };
  const recorder = createEventRecorder({
    ...environment,
    client,
    scheme,
    component: 'tester',
    form: 'series',
  });
  await recorder.start();
  const seen = async () => (await client.namespaced(eventsV1, 'team').list()).items;
  return { recorder, object, seen, clock, eventually };
}

describe('events in the form `series`', () => {
  it('have the exact time, reporter and action of the first occurrence and no count', async () => {
    const { recorder, object, seen, eventually } = await setUp();
    recorder.record(object, 'Warning', 'Odd', 'looks odd', 'Audit');
    await eventually(async () => expect(await seen()).toHaveLength(1));
    const [event] = await seen();
    expect(event).toMatchObject({
      action: 'Audit',
      reason: 'Odd',
      note: 'looks odd',
      type: 'Warning',
      reportingController: 'tester',
      reportingInstance: 'tester',
      eventTime: expect.stringMatching(/\.\d{6}Z$/),
      regarding: { kind: 'ConfigMap', name: 'a', uid: object.metadata?.uid },
    });
    expect(event).not.toHaveProperty('series');
    expect(event?.deprecatedCount).toBeUndefined();
    await recorder.stop();
  });

  it('count equal events in one series, and start another for a different message', async () => {
    const { recorder, object, seen, clock, eventually } = await setUp();
    for (const message of ['first', 'second', 'first', 'first']) {
      recorder.record(object, 'Normal', 'Seen', message);
      await clock.advance(1_000);
    }
    await eventually(async () => expect(await seen()).toHaveLength(2));
    const found = await seen();
    const [series] = found.filter(({ note }) => note === 'first');
    expect(series).toMatchObject({ action: 'Seen', series: { count: 3 } });
    expect(found.filter(({ note }) => note === 'second')[0]).not.toHaveProperty('series');
    expect((series?.series?.lastObservedTime ?? '') > (series?.eventTime ?? '')).toBe(true);
    await recorder.stop();
  });
});
