import { describe, expect, it } from 'vitest';
import { configMaps, secrets } from '../../../api/groups/index.ts';
import {
  configMap,
  createPeer,
  deleting,
  type Peer,
  refusal,
  startFixture,
  watching,
  writing,
} from '../registry.fixture.ts';
import type { WatchParameters } from '../registry.ts';

async function withObjects(windowSize = 10_000) {
  const fixture = await startFixture({ watchWindow: { windowSize } });
  const registry = fixture.of(configMaps);
  const put = (name: string, k: string, labels = {}) =>
    registry.update('default', name, '', configMap(name, { k }, { labels }), writing());
  const make = (name: string, labels = {}) =>
    registry.create('default', configMap(name, {}, { labels }), writing());
  await make('a');
  await make('b', { pick: 'me' });
  const watch = async (changes: Partial<WatchParameters>): Promise<Peer> => {
    const peer = createPeer();
    (await registry.watch(watching(changes)))(peer);
    return peer;
  };
  const remove = (name: string) => registry.delete('default', name, deleting(), writing());
  return { ...fixture, registry, put, make, remove, watch };
}

const shown = (peer: Peer): string[] =>
  peer
    .frames()
    .map(
      ({ type, object }) =>
        `${type} ${object.metadata.name ?? object.code ?? ''} ${object.metadata.resourceVersion ?? ''}`,
    );

describe('watch', () => {
  it.each(['', '0'])(
    'sends the current objects at resource version %j, then each change',
    async (resourceVersion) => {
      const { watch, make, put, remove } = await withObjects();
      const peer = await watch({ resourceVersion });
      await put('a', '1');
      await make('c');
      await remove('a');
      expect(shown(peer)).toEqual(['ADDED a 1', 'ADDED b 2', 'MODIFIED a 3', 'ADDED c 4', 'DELETED a 5']);
      expect(peer.frames().at(-1)?.object.data).toEqual({ k: '1' });
    },
  );

  it('sends only the changes after a non-zero resource version', async () => {
    const { watch, put } = await withObjects();
    await put('a', '1');
    const peer = await watch({ resourceVersion: '2' });
    expect(shown(peer)).toEqual(['MODIFIED a 3']);
    const last = await watch({ resourceVersion: '3' });
    await put('a', '2');
    expect(shown(last)).toEqual(['MODIFIED a 4']);
  });

  it('sends only objects of its namespace and kind', async () => {
    const { watch, registry, of } = await withObjects();
    const [own, all] = [
      await watch({ resourceVersion: '2' }),
      await watch({ resourceVersion: '2', namespace: '' }),
    ];
    await registry.create('other', configMap('x'), writing());
    await of(secrets).create('default', { metadata: { name: 's' } }, writing());
    expect([shown(own), shown(all)]).toEqual([[], ['ADDED x 3']]);
  });

  it('sends ADDED and DELETED when an object starts and stops matching the selector', async () => {
    const { watch, put, remove } = await withObjects();
    const peer = await watch({ labelSelector: 'pick=me' });
    await put('a', '1', { pick: 'me' });
    await put('a', '2', { pick: 'me' });
    await put('a', '3');
    await put('a', '4');
    await remove('a');
    await remove('b');
    expect(shown(peer)).toEqual(['ADDED b 2', 'ADDED a 3', 'MODIFIED a 4', 'DELETED a 5', 'DELETED b 8']);
    // The object at the last revision at which it matched.
    expect(peer.frames()[3]?.object.data).toEqual({ k: '2' });
  });

  it('writes one shared frame to all unfiltered watchers', async () => {
    const { watch, put } = await withObjects();
    const peers = [
      await watch({ resourceVersion: '2' }),
      await watch({ resourceVersion: '2' }),
      await watch({ resourceVersion: '2', namespace: '' }),
    ];
    await put('a', '1');
    const frames = peers.map(({ chunks }) => chunks[0]);
    expect(frames[0]).toBeInstanceOf(Uint8Array);
    expect(frames.every((frame) => frame === frames[0])).toBe(true);
  });

  it('transforms each object if its parameters have a transform', async () => {
    const { watch, put } = await withObjects();
    const peer = await watch({
      allowBookmarks: true,
      timeoutSeconds: 60,
      transform: ({ metadata }, isBookmark) => ({
        metadata: { name: metadata?.name ?? `mark ${isBookmark}` },
      }),
    });
    await put('a', '1');
    expect(shown(peer)).toEqual(['ADDED a ', 'ADDED b ', 'MODIFIED a ']);
    expect(Object.keys(peer.frames()[0]?.object ?? {})).toEqual(['metadata']);
  });

  it('sends a bookmark every minute and shortly before its end, if the client requests bookmarks', async () => {
    const { watch, clock, of } = await withObjects();
    const peer = await watch({ resourceVersion: '2', allowBookmarks: true, timeoutSeconds: 90 });
    const silent = await watch({ resourceVersion: '2', timeoutSeconds: 90 });
    await of(secrets).create('default', { metadata: { name: 's' } }, writing());
    await clock.advance(60_000);
    expect(peer.frames()).toEqual([
      {
        type: 'BOOKMARK',
        object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion: '3' } },
      },
    ]);
    await clock.advance(29_999);
    expect([shown(peer).length, peer.closed]).toEqual([2, false]);
    await clock.advance(1);
    expect([peer.closed, silent.closed, silent.frames()]).toEqual([true, true, []]);
  });

  it('ends after 30 to 60 minutes if the client sets no timeout', async () => {
    const { watch, clock } = await withObjects();
    const peer = await watch({ resourceVersion: '2' });
    await clock.advance(30 * 60_000 - 1);
    expect(peer.closed).toBe(false);
    await clock.advance(30 * 60_000 + 1);
    expect(peer.closed).toBe(true);
  });

  it("ends between the server's minimum lifetime and twice that", async () => {
    const fixture = await startFixture({ shortestWatchMs: 5_000 });
    const peer = createPeer();
    (await fixture.of(configMaps).watch(watching()))(peer);
    await fixture.clock.advance(4_999);
    expect(peer.closed).toBe(false);
    await fixture.clock.advance(5_001);
    expect(peer.closed).toBe(true);
  });

  it('sends an annotated bookmark after the initial events', async () => {
    const { watch, put } = await withObjects();
    const peer = await watch({
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowBookmarks: true,
    });
    await put('a', '1');
    expect(shown(peer)).toEqual(['ADDED a 1', 'ADDED b 2', 'BOOKMARK  2', 'MODIFIED a 3']);
    expect(peer.frames()[2]?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
  });

  it('sends no initial events with sendInitialEvents=false', async () => {
    const { watch, put } = await withObjects();
    const peer = await watch({ sendInitialEvents: false, resourceVersionMatch: 'NotOlderThan' });
    await put('a', '1');
    expect(shown(peer)).toEqual(['MODIFIED a 3']);
  });

  it.each([
    [
      { sendInitialEvents: true },
      422,
      'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    ],
    [
      { sendInitialEvents: true, resourceVersionMatch: 'Exact' },
      422,
      'Unsupported value: "Exact": supported values: "NotOlderThan"',
    ],
    [
      { resourceVersionMatch: 'Exact', resourceVersion: '1' },
      422,
      'resourceVersionMatch is forbidden for watch',
    ],
    [{ resourceVersion: 'x' }, 400, 'invalid syntax'],
    [{ fieldSelector: 'nope=1' }, 400, 'is not a known field selector'],
  ])('rejects %j before the stream begins', async (changes, code, text) => {
    const { registry } = await withObjects();
    const error = await refusal(registry.watch(watching(changes)));
    expect([error.code, error.message]).toEqual([code, expect.stringContaining(text)]);
  });

  it('ends with an ERROR event if its resource version is older than the event window', async () => {
    const { watch, put } = await withObjects(2);
    for (const k of ['1', '2', '3']) await put('a', k);
    const peer = await watch({ resourceVersion: '1' });
    expect(peer.frames()).toMatchObject([
      {
        type: 'ERROR',
        object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version: 1 (3)' },
      },
    ]);
    expect(peer.closed).toBe(true);
  });

  it('ends with an ERROR event at a resource version that is not reached', async () => {
    const { registry, clock } = await withObjects();
    const begun = registry.watch(watching({ resourceVersion: '99' }));
    await clock.advance(3_000);
    const peer = createPeer();
    (await begun)(peer);
    expect([shown(peer), peer.closed]).toEqual([['ERROR 410 '], true]);
  });

  it('waits for a slow reader, during the initial events and afterwards', async () => {
    const { put, registry } = await withObjects();
    const peer = createPeer();
    peer.stall();
    (await registry.watch(watching()))(peer);
    await put('a', '1');
    expect(shown(peer)).toEqual(['ADDED a 1']);
    peer.read();
    expect(shown(peer)).toEqual(['ADDED a 1', 'ADDED b 2', 'MODIFIED a 3']);
    peer.stall();
    for (const k of ['2', '3', '4']) await put('a', k);
    expect(shown(peer)).toHaveLength(4);
    peer.read();
    expect(shown(peer)).toHaveLength(6);
  });

  it('sends no bookmark while changes wait for the reader', async () => {
    const { put, registry, clock } = await withObjects();
    const peer = createPeer();
    (await registry.watch(watching({ resourceVersion: '2', allowBookmarks: true })))(peer);
    peer.stall();
    await put('a', '1');
    await put('a', '2');
    await clock.advance(60_000);
    expect(shown(peer)).toEqual(['MODIFIED a 3']);
  });

  it('ends with an ERROR event if the reader falls behind the event window', async () => {
    const { put, registry } = await withObjects(2);
    const peer = createPeer();
    (await registry.watch(watching({ resourceVersion: '2' })))(peer);
    peer.stall();
    for (const k of ['1', '2', '3', '4', '5']) await put('a', k);
    expect(shown(peer)).toEqual(['MODIFIED a 3', 'ERROR 410 ']);
    expect(peer.closed).toBe(true);
  });

  it('releases its resources when the peer disconnects or the request is aborted', async () => {
    const { watch, put, clock } = await withObjects();
    const before = clock.pending;
    const abort = new AbortController();
    const left = await watch({ allowBookmarks: true });
    const aborted = await watch({ signal: abort.signal });
    left.leave();
    abort.abort();
    await put('a', '1');
    expect([left.frames().length, aborted.frames().length]).toEqual([2, 2]);
    expect([aborted.closed, clock.pending]).toEqual([true, before]);
  });

  it('ends when the server stops', async () => {
    const fixture = await startFixture();
    const peer = createPeer();
    (await fixture.of(configMaps).watch(watching()))(peer);
    await fixture.registry.stop();
    expect([peer.closed, peer.frames()]).toEqual([true, []]);
  });
});
