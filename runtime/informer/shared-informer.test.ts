import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../base/metrics/metrics.ts';
import { createInformerMetrics } from './informer-metrics.ts';
import { setUp, stateOf, versionOf, widgets } from './shared-informer.fixture.ts';

describe('createSharedInformer', () => {
  it('lists, becomes ready and follows changes', async () => {
    const { server, clock, informers, informer, observed, handler } = setUp();
    server.put('a');
    informer.subscribe(handler);
    await informers.start();
    expect(informer.synced).toBe(false);
    await clock.advance(0);
    await informer.ready();
    server.put('b');
    server.put('a');
    server.remove('b');
    await clock.advance(0);
    expect(observed).toEqual(['new a uid-1 2', 'new b uid-2 3', 'changed a uid-1 4', 'deleted b uid-2 5']);
    expect(informer.store.get('default/a')).toBeDefined();
    expect(informer.silentMs()).toBe(0);
    await informers.stop();
  });

  it('caches frozen objects without managedFields', async () => {
    const { server, clock, informers, informer } = setUp();
    server.put('a');
    await informers.start();
    await clock.advance(0);
    const object = informer.store.get('default/a');
    expect(object?.metadata).not.toHaveProperty('managedFields');
    expect(Object.isFrozen(object) && Object.isFrozen(object?.metadata)).toBe(true);
    await informers.stop();
  });

  it('reports an unserved resource and becomes ready once the resource is served', async () => {
    const { server, clock, informers, informer } = setUp();
    server.state.served = false;
    await informers.start();
    await clock.advance(0);
    expect(await informer.served()).toBe(false);
    expect(informers.health()).toMatchObject([
      { synced: false, problem: expect.stringContaining('not found') },
    ]);
    server.state.served = true;
    await clock.advance(60_000);
    await informer.ready();
    expect(informer.problem()).toBeUndefined();
    await informers.stop();
  });

  it('uses an existing cache of whole objects if only metadata is requested', async () => {
    const { informers, informer } = setUp();
    expect(informers.of(widgets, { metadataOnly: true })).toBe(informer);
    const partial = informers.of(widgets, { metadataOnly: true, namespace: 'default' });
    expect(partial).not.toBe(informer);
    expect(informers.of(widgets, { namespace: 'default' })).not.toBe(partial);
    await informers.stop();
  });

  it('caches only metadata on request, under the original kind', async () => {
    const { server, clock, informers } = setUp();
    server.put('a');
    const partial = informers.of(widgets, { metadataOnly: true, namespace: 'default' });
    await informers.start();
    await clock.advance(0);
    server.put('b');
    await clock.advance(0);
    expect(partial.store.list().map((object) => Object.keys(object).sort())).toEqual([
      ['apiVersion', 'kind', 'metadata'],
      ['apiVersion', 'kind', 'metadata'],
    ]);
    expect(partial.store.get('default/b')).toMatchObject({ kind: 'Widget', apiVersion: 'v1' });
    await informers.stop();
  });

  it('exposes the size, last contact and missed changes as metrics', async () => {
    const metrics = createMetrics();
    const { server, clock, informers } = setUp(createInformerMetrics(metrics));
    server.put('a');
    server.put('b');
    await informers.start();
    await clock.advance(2_000);
    server.cut();
    server.remove('a');
    server.compact();
    await clock.advance(30_000);
    const { text } = await metrics.expose();
    expect(text).toContain('informer_objects{informer="widgets"} 1');
    expect(text).toContain('informer_missed_changes_total{informer="widgets"} 1');
    expect(text).toMatch(/informer_watch_ends_total\{informer="widgets",reason="expired"\} [1-9]/);
    expect(text).toMatch(/informer_last_heard_seconds\{informer="widgets"\} \d/);
    await informers.stop();
  });

  it('resumes at the last version without a list after the server ends a watch', async () => {
    const { server, clock, informers } = setUp();
    await informers.start();
    await clock.advance(2_000);
    server.put('a');
    await clock.advance(0);
    server.cut();
    await clock.advance(0);
    expect(server.watches()).toBe(1);
    expect(server.requests.filter((url) => !url.includes('watch')).length).toBe(1);
    expect(server.requests.at(-1)).toContain('resourceVersion=2&');
    await informers.stop();
  });

  it('resumes after the last of many events, not at the last version reported to its machine', async () => {
    const { server, clock, informers } = setUp();
    await informers.start();
    await clock.advance(2_000);
    for (const name of ['a', 'b', 'c']) server.put(name);
    await clock.advance(1);
    server.cut();
    await clock.advance(0);
    expect(server.requests.at(-1)).toContain('resourceVersion=4&');
    await informers.stop();
  });

  it('reports deletions whose history the server has compacted', async () => {
    const missed: number[] = [];
    const { server, clock, informers, informer, observed, handler } = setUp({
      listed: (_, __, count) => void missed.push(count),
    });
    server.put('a');
    server.put('b');
    informer.subscribe(handler);
    await informers.start();
    await clock.advance(2_000);
    observed.length = 0;
    server.stall();
    server.remove('a');
    server.remove('b');
    server.put('b');
    server.compact();
    server.cut();
    await clock.advance(60_000);
    expect(observed).toEqual(['deleted a uid-1 2', 'deleted b uid-2 3', 'new b uid-3 6']);
    expect(missed).toEqual([0, 3]);
    await informers.stop();
  });

  it('backs off after failures and converges once the server responds again', async () => {
    const { server, clock, informers, informer } = setUp();
    server.state.down = true;
    await informers.start();
    await clock.advance(3_600_000);
    expect(informer.synced).toBe(false);
    // A list has up to four attempts, and there is at most one list in 30 s, so an hour of outage must not
    // cause a request storm.
    expect(server.requests.length).toBeLessThan(600);
    server.put('a');
    server.state.down = false;
    await clock.advance(120_000);
    expect(informer.store.list().map(stateOf)).toEqual(server.objects());
    await informers.stop();
  });

  it.each([
    { informers: 1, awaySeconds: 30, tries: 25 },
    { informers: 1, awaySeconds: 60, tries: 35 },
    { informers: 12, awaySeconds: 60, tries: 100 },
    { informers: 12, awaySeconds: 3_600, tries: 3_000 },
  ])(
    'reconnects $informers informers within seconds after an outage of $awaySeconds s',
    async ({ informers: count, awaySeconds, tries }) => {
      const { server, clock, informers, unreached } = setUp();
      const all = Array.from({ length: count }, (_, i) =>
        informers.of(widgets, { labelSelector: `n!=${i}` }),
      );
      await informers.start();
      await clock.advance(10_000);
      server.state.unreachable = true;
      server.cut();
      await clock.advance(awaySeconds * 1_000);
      expect(all.map(({ problem }) => problem)).not.toContain(undefined);
      expect(unreached()).toBeLessThan(tries);
      server.put('new');
      server.compact();
      server.state.unreachable = false;
      await clock.advance(5_000);
      expect(all.map(({ store }) => store.size)).toEqual(all.map(() => 1));
      // A failure right after the outage starts the backoff from its minimum again.
      server.cut();
      server.put('newer');
      await clock.advance(2_000);
      expect(all.map(({ store }) => store.size)).toEqual(all.map(() => 2));
      await informers.stop();
      expect(clock.pending).toBe(0);
    },
  );

  it('replaces a silent watch and finds missed changes', async () => {
    const { server, clock, informers, informer } = setUp();
    await informers.start();
    await clock.advance(2_000);
    server.bookmark();
    await clock.advance(0);
    server.stall();
    server.put('a');
    await clock.advance(5_000);
    expect(informer.store.size).toBe(0);
    await clock.advance(300_000);
    expect(informer.store.size).toBe(1);
    await informers.stop();
  });

  it('notifies the other handlers if one handler throws', async () => {
    const failed: string[] = [];
    const { server, clock, informers, informer, observed, handler } = setUp({
      handlerFailed: (name) => void failed.push(name),
    });
    const broken = (): never => {
      throw new Error('broken');
    };
    informer.subscribe({ onApply: broken, onDelete: broken });
    informer.subscribe(handler);
    await informers.start();
    await clock.advance(0);
    server.put('a');
    server.remove('a');
    await clock.advance(0);
    expect(observed.length).toBe(2);
    expect(failed).toEqual(['widgets', 'widgets']);
    await informers.stop();
  });

  it('reports all objects to a late subscriber and nothing after its subscription has ended', async () => {
    const { server, clock, informers, informer, observed, handler } = setUp();
    server.put('a');
    await informers.start();
    await clock.advance(0);
    const leave = informer.subscribe(handler);
    leave();
    server.put('b');
    await clock.advance(0);
    expect(observed).toEqual(['new a uid-1 2']);
    await informers.stop();
  });

  it('is shared by the same kind and scope, and starts at once if it is acquired after startup', async () => {
    const { clock, server, informers, informer } = setUp();
    server.put('a');
    await informers.start();
    expect(informers.of(widgets)).toBe(informer);
    const other = informers.of(widgets, { namespace: 'default' });
    expect(other).not.toBe(informer);
    await clock.advance(0);
    expect(other.store.size).toBe(1);
    await informers.stop();
  });

  it('leaves no watch and no timer when it stops', async () => {
    const { clock, server, informers } = setUp();
    await informers.start();
    await clock.advance(0);
    await informers.stop();
    expect(server.watches()).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it("rejects an aborted wait for readiness with the signal's reason", async () => {
    const { informer } = setUp();
    const controller = new AbortController();
    const ready = informer.ready(controller.signal);
    controller.abort(new Error('enough'));
    await expect(ready).rejects.toThrow('enough');
  });

  it("has the server's objects in its store and notifications after any interleaving of steps", async () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ do: fc.constant('put' as const), name }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), name }) },
      fc.record({
        do: fc.constantFrom('cut', 'tear', 'compact', 'repeat', 'bookmark', 'stall', 'down', 'up'),
      }),
      { weight: 2, arbitrary: fc.record({ do: fc.constant('outage' as const), name }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(40_000) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 40, size: 'max' }), async (steps) => {
        const { server, clock, informers, informer } = setUp();
        const notified = new Map<string, string>();
        informer.subscribe({
          onApply: (object, previous) => {
            const before = notified.get(object.metadata?.name ?? '');
            expect(before).toBe(previous === undefined ? undefined : stateOf(previous));
            // A watch resumed at the exact version never delivers an earlier state.
            expect(versionOf(object)).toBeGreaterThan(versionOf(previous));
            notified.set(object.metadata?.name ?? '', stateOf(object));
          },
          onDelete: (object) => expect(notified.delete(object.metadata?.name ?? '')).toBe(true),
        });
        await informers.start();
        for (const each of steps) {
          if (each.do === 'put') server.put(each.name);
          else if (each.do === 'remove') server.remove(each.name);
          else if (each.do === 'outage') {
            server.stall();
            server.remove(each.name);
            server.compact();
            server.cut();
          } else if (each.do === 'wait') await clock.advance(each.ms);
          else if (each.do === 'down' || each.do === 'up') server.state.down = each.do === 'down';
          else server[each.do]();
        }
        server.state.down = false;
        server.bookmark();
        await clock.advance(1_500_000);
        expect(informer.store.list().map(stateOf).sort()).toEqual(server.objects());
        expect([...notified.values()].sort()).toEqual(server.objects());
        await informers.stop();
        expect(clock.pending).toBe(0);
      }),
      { numRuns: 100 },
    );
  });
});
