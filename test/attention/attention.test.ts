import { describe, expect, it } from 'vitest';
import type { ObjectLink } from '../../runtime/index.ts';
import { nameOf } from '../../runtime/index.ts';
import { useAttendedWorld } from './attended-world.ts';
import { MINUTE, healthyCluster, situations } from './situations.ts';

const text = (link: ObjectLink | undefined): string => (link === undefined ? '' : nameOf(link));

describe('the list of what needs attention', () => {
  it.each(situations)(
    'names the object and its blocker for $title',
    async ({ make, waitMs = 2 * MINUTE, reason, object, sentence, blocker, also = [] }) => {
      const { world, items } = await useAttendedWorld();
      expect(items()).toEqual([]);
      const beforeMs = world.clock.now();
      await make(world);
      await world.clock.advance(waitMs);
      const found = items();
      expect(found.map((each) => each.reason)).toContain(reason);
      const item = found.find((each) => each.reason === reason);
      expect(text(item?.object)).toBe(object);
      expect(item?.sentence).toMatch(sentence);
      if (blocker === undefined) expect(item?.blocker).toBeUndefined();
      else expect(text(item?.blocker)).toContain(blocker);
      expect(item?.sinceMs).toBeGreaterThanOrEqual(beforeMs - 1_000);
      expect(item?.sinceMs).toBeLessThanOrEqual(world.clock.now());
      expect(found.filter((each) => ![reason, ...also].includes(each.reason))).toEqual([]);
    },
  );

  it('has no entry for a healthy, busy cluster', async () => {
    const { world, items } = await useAttendedWorld();
    const none = (): void => expect(items()).toEqual([]);
    await healthyCluster(world, none);
    for (let minute = 0; minute < 20; minute++) {
      none();
      await world.clock.advance(MINUTE);
      await world.client.request({ method: 'GET', path: '/version' });
    }
  });
});
