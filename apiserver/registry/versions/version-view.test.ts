import { describe, expect, it } from 'vitest';
import { cronJobs, cronJobsV1beta1, events, eventsV1 } from '../../../api/groups/index.ts';
import type { AnyKind } from '../../../api/kinds/scheme.ts';
import {
  type Fixture,
  createPeer,
  deleting,
  listing,
  refusal,
  startFixture,
  watching,
  writing,
} from '../registry.fixture.ts';

const PREFIX = '/registry/core/events/default/e';
const any = (kind: unknown): AnyKind => kind as AnyKind;

const event = (changes: object = {}): object => ({
  metadata: { name: 'e' },
  eventTime: '2026-01-01T00:00:00.000000Z',
  reportingController: 'a.b/c',
  reportingInstance: 'i',
  action: 'Do',
  reason: 'Because',
  type: 'Normal',
  note: 'said',
  regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
  ...changes,
});

async function withEvent(): Promise<Fixture> {
  const fixture = await startFixture();
  await fixture.of(any(eventsV1)).create('default', event(), writing());
  return fixture;
}

describe('a version other than the stored one', () => {
  it('stores its objects in the stored version', async () => {
    const { storage, of } = await withEvent();
    const stored = await storage.get(PREFIX);
    expect(JSON.parse(stored?.value.toString() ?? '{}')).toMatchObject({
      apiVersion: 'v1',
      kind: 'Event',
      message: 'said',
      involvedObject: { name: 'p' },
      reportingComponent: 'a.b/c',
    });
    const read = await of(any(events)).get('default', 'e', '');
    expect(read.bytes).toBe(stored?.value);
  });

  it('returns a written object in the version of the request', async () => {
    const { of } = await startFixture();
    const made = await of(any(eventsV1)).create('default', event(), writing());
    expect(made.object).toMatchObject({ apiVersion: 'events.k8s.io/v1', kind: 'Event', note: 'said' });
    expect(made.object.metadata?.resourceVersion).toMatch(/^\d+$/);
    expect(made.object).not.toHaveProperty('message');
  });

  it('reads the same bytes from the store and from the cache', async () => {
    const { of } = await withEvent();
    const registry = of(any(eventsV1));
    const fresh = await registry.get('default', 'e', '');
    const cached = await registry.get('default', 'e', '0');
    const list = await registry.list(listing());
    expect(cached.bytes.equals(fresh.bytes)).toBe(true);
    expect(JSON.parse(Buffer.concat(list.chunks).toString())).toMatchObject({
      kind: 'EventList',
      apiVersion: 'events.k8s.io/v1',
      items: [{ metadata: fresh.object.metadata }],
    });
  });

  it('converts an object once for all readers', async () => {
    const { of } = await withEvent();
    const first = await of(any(eventsV1)).get('default', 'e', '0');
    const second = await of(any(eventsV1)).get('default', 'e', '0');
    expect(second.bytes).toBe(first.bytes);
  });

  it('lists pages and selects by its own fields', async () => {
    const { of } = await withEvent();
    const registry = of(any(eventsV1));
    await registry.create('default', event({ metadata: { name: 'f' }, reason: 'Other' }), writing());
    const selected = await registry.list(listing({ fieldSelector: 'reason=Other' }));
    expect(selected.items.map(({ object }) => object.metadata?.name)).toEqual(['f']);
    const regarding = await registry.list(listing({ fieldSelector: 'regarding.name=q' }));
    expect(regarding.items).toEqual([]);
    const page = await registry.list(listing({ limit: 1 }));
    const rest = await registry.list(listing({ limit: 1, continueToken: page.continueToken }));
    expect(rest.items.map(({ object }) => object)).toMatchObject([
      { apiVersion: 'events.k8s.io/v1', metadata: { name: 'f' } },
    ]);
  });

  it('delivers writes through any version to its watchers, in its own form', async () => {
    const { of } = await withEvent();
    const peer = createPeer();
    (await of(any(eventsV1)).watch(watching()))(peer);
    await of(any(events)).patch(
      'default',
      'e',
      '',
      'application/merge-patch+json',
      { message: 'said again' },
      writing(),
    );
    await of(any(events)).delete('default', 'e', deleting(), writing());
    expect(peer.frames()).toMatchObject([
      { type: 'ADDED', object: { apiVersion: 'events.k8s.io/v1', note: 'said' } },
      { type: 'MODIFIED', object: { apiVersion: 'events.k8s.io/v1', note: 'said again' } },
      { type: 'DELETED', object: { apiVersion: 'events.k8s.io/v1', note: 'said again' } },
    ]);
  });

  it('rejects an update based on a state before a write through another version', async () => {
    const { of } = await withEvent();
    const registry = of(any(eventsV1));
    const { object } = await registry.get('default', 'e', '');
    await of(any(events)).patch(
      'default',
      'e',
      '',
      'application/merge-patch+json',
      { metadata: { labels: { a: 'b' } } },
      writing(),
    );
    const late = { ...object, series: { count: 2, lastObservedTime: '2026-01-01T00:00:00.000000Z' } };
    expect((await refusal(registry.update('default', 'e', '', late, writing()))).code).toBe(409);
  });

  it('does not store an unchanged object', async () => {
    const { of } = await withEvent();
    const registry = of(any(eventsV1));
    const { object } = await registry.get('default', 'e', '');
    const again = await registry.update('default', 'e', '', structuredClone(object), writing());
    expect(again.object.metadata?.resourceVersion).toBe(object.metadata?.resourceVersion);
  });

  it('rejects a body of another version', async () => {
    const { of } = await startFixture();
    const body = event({ kind: 'Event', apiVersion: 'v1' });
    const refused = await refusal(of(any(eventsV1)).create('default', body, writing()));
    expect(refused.code).toBe(400);
  });

  it('shares the generation with the stored version', async () => {
    const { of } = await startFixture();
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
    const spec = { schedule: '* * * * *', jobTemplate: { spec: { template } } };
    await of(any(cronJobsV1beta1)).create('default', { metadata: { name: 'cj' }, spec }, writing());
    const patch = { spec: { suspend: true } };
    await of(any(cronJobs)).patch('default', 'cj', '', 'application/merge-patch+json', patch, writing());
    const { object } = await of(any(cronJobsV1beta1)).get('default', 'cj', '');
    expect(object).toMatchObject({
      apiVersion: 'batch/v1beta1',
      metadata: { generation: 2 },
      spec: { suspend: true },
    });
  });
});
