import { describe, expect, it } from 'vitest';
import { configMap, createPeer, refusal, watching, writing } from '../registry.fixture.ts';
import type { WatchParameters } from '../registry.ts';
import { patiently, type Setting, setUp } from './resource-versions.fixture.ts';

describe('watch', () => {
  const open = async ({ maps }: Setting, parameters: Partial<WatchParameters>) => {
    const peer = createPeer();
    (await maps.watch(watching(parameters)))(peer);
    return () =>
      peer.frames().map(({ type, object }) => {
        const { name, resourceVersion, annotations } = object.metadata;
        if (type === 'ERROR') return `ERROR ${object.code}: ${object.message}`;
        const end = annotations && 'k8s.io/initial-events-end' in annotations ? ' end' : '';
        return `${type} ${name ?? ''}@${resourceVersion}${end}`;
      });
  };

  it('sends the newest state, then changes, if the resource version is unset', async () => {
    const setting = await setUp();
    const opening = open(setting, {});
    setting.release();
    const seen = await opening;
    await setting.maps.create('default', configMap('d'), writing());
    expect(seen()).toEqual(['ADDED a@1', 'ADDED b@2', 'ADDED c@3', 'ADDED d@4']);
  });

  it('sends the cached state, then changes, for resource version 0', async () => {
    const setting = await setUp();
    const seen = await open(setting, { resourceVersion: '0' });
    expect(seen()).toEqual(['ADDED a@1', 'ADDED b@2']);
    setting.release();
    expect(seen()).toEqual(['ADDED a@1', 'ADDED b@2', 'ADDED c@3']);
  });

  it('sends only changes after a non-zero resource version', async () => {
    const setting = await setUp();
    const seen = await open(setting, { resourceVersion: '1' });
    expect(seen()).toEqual(['ADDED b@2']);
    setting.release();
    expect(seen()).toEqual(['ADDED b@2', 'ADDED c@3']);
  });

  it('waits for an unknown resource version, then sends 410 so that the client re-lists', async () => {
    const setting = await setUp();
    const early = open(setting, { resourceVersion: '3' });
    setting.release();
    expect((await early)()).toEqual([]);
    const never = await patiently(setting.clock, open(setting, { resourceVersion: '9' }));
    expect(never()).toEqual(['ERROR 410: too large resource version: 9 (3)']);
  });

  it('waits for an unknown resource version no longer than its timeout', async () => {
    const setting = await setUp();
    const never = open(setting, { resourceVersion: '9', timeoutSeconds: 1 });
    await setting.clock.advance(1_000);
    expect((await never)()).toEqual([]);
  });

  it('returns 400 for the resource version x', async () => {
    const { maps } = await setUp();
    expect((await refusal(maps.watch(watching({ resourceVersion: 'x' })))).status).toMatchObject({
      code: 400,
    });
  });

  it('ends at once with a negative timeout', async () => {
    const setting = await setUp();
    const peer = createPeer();
    (await setting.maps.watch(watching({ resourceVersion: '2', timeoutSeconds: -1 })))(peer);
    await setting.clock.advance(0);
    expect(peer.closed).toBe(true);
  });

  const NOT_OLDER = 'NotOlderThan';
  /**
   * Columns: sendInitialEvents, resourceVersion, allowWatchBookmarks; events after all changes were
   * delivered.
   */
  it.each([
    [true, '', true, ['ADDED a@1', 'ADDED b@2', 'ADDED c@3', 'BOOKMARK @3 end']],
    [true, '0', true, ['ADDED a@1', 'ADDED b@2', 'BOOKMARK @2 end', 'ADDED c@3']],
    [true, '1', true, ['ADDED a@1', 'ADDED b@2', 'BOOKMARK @2 end', 'ADDED c@3']],
    [true, '3', true, ['ADDED a@1', 'ADDED b@2', 'ADDED c@3', 'BOOKMARK @3 end']],
    [true, '3', false, ['ADDED a@1', 'ADDED b@2', 'ADDED c@3']],
    [false, '', true, []],
    [false, '0', true, ['ADDED c@3']],
    [false, '1', true, ['ADDED b@2', 'ADDED c@3']],
  ])(
    'sends the expected events for sendInitialEvents %o, resourceVersion %o, bookmarks %o',
    async (initial, version, bookmarks, expected) => {
      const setting = await setUp();
      const opening = open(setting, {
        resourceVersion: version,
        resourceVersionMatch: NOT_OLDER,
        sendInitialEvents: initial,
        allowBookmarks: bookmarks,
      });
      if (version === '' || version === '3') setting.release();
      const seen = await opening;
      setting.release();
      expect(seen()).toEqual(expected);
    },
  );

  const FORBIDDEN = 'resourceVersionMatch: Forbidden: ';
  const UNSET = `${FORBIDDEN}resourceVersionMatch is forbidden unless resourceVersion is provided`;
  const REQUIRES = `${FORBIDDEN}sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`;
  it.each<[Partial<WatchParameters>, string]>([
    [
      { resourceVersionMatch: 'NotOlderThan', resourceVersion: '1' },
      `${FORBIDDEN}resourceVersionMatch is forbidden for watch`,
    ],
    [
      { resourceVersionMatch: 'NotOlderThan' },
      `[${FORBIDDEN}resourceVersionMatch is forbidden for watch, ${UNSET}]`,
    ],
    [{ sendInitialEvents: true }, REQUIRES],
    [{ sendInitialEvents: false }, REQUIRES],
    [
      { sendInitialEvents: true, resourceVersionMatch: 'Exact', resourceVersion: '1' },
      `[${REQUIRES}, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]`,
    ],
    [
      { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', continueToken: 'x' },
      `${FORBIDDEN}resourceVersionMatch is forbidden when continue is provided`,
    ],
  ])('rejects %j', async (parameters, why) => {
    const { maps } = await setUp();
    const { status } = await refusal(maps.watch(watching(parameters)));
    expect(status).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: `ListOptions.meta.k8s.io "" is invalid: ${why}`,
    });
  });
});
