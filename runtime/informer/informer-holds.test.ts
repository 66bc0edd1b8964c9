import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ApiObject, defineKind } from '../../api/kinds/kind.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { struct } from '../../api/schema/schema.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { isCoded } from '../../base/errors/coded.ts';
import type { HttpHandler } from '../../base/http/message.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { createInMemoryTransport } from '../client/in-memory-transport.ts';
import { createClient } from '../client/rest-client.ts';
import type { InformerHold } from './informer.ts';
import { createInformers } from './informers.ts';

const kindNamed = (plural: string) =>
  defineKind<ApiObject>({
    group: '',
    version: 'v1',
    kind: plural,
    plural,
    namespaced: true,
    schema: struct(`test.${plural}`, {}),
  });
const widgets = kindNamed('widgets');
const gadgets = kindNamed('gadgets');

const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const LIST_MS = 100;

/**
 * Creates informers of a server that needs `LIST_MS` for a list and counts the open watches of each resource.
 */
async function setUp() {
  const clock = createSimulatedClock();
  const watches: Record<string, number> = { widgets: 0, gadgets: 0 };
  const refused = new Set<string>();
  const handler: HttpHandler = async (request) => {
    const { pathname, searchParams } = new URL(request.url, 'http://x');
    const plural = pathname.slice(pathname.lastIndexOf('/') + 1);
    const headers = { 'content-type': 'application/json' };
    if (searchParams.has('watch'))
      return {
        status: 200,
        headers,
        body: (sink) => {
          watches[plural] = (watches[plural] ?? 0) + 1;
          sink.onClose(() => (watches[plural] = (watches[plural] ?? 0) - 1));
        },
      };
    await new Promise((resolve) => clock.setTimeout(() => resolve(undefined), LIST_MS));
    if (refused.has(plural)) return { status: 403, headers, body: bytes({ kind: 'Status', code: 403 }) };
    const items = [{ metadata: { name: 'a', namespace: 'default', uid: 'u', resourceVersion: '1' } }];
    return { status: 200, headers, body: bytes({ metadata: { resourceVersion: '1' }, items }) };
  };
  const client = createClient({
    scheme: createScheme(orchVocabulary, []),
    transport: createInMemoryTransport({ handler, clock }),
    clock,
    log: silentLogger,
    userAgent: 'test',
  });
  const informers = createInformers({
    client,
    clock,
    random: createSeededRandom(1),
    log: silentLogger,
  });
  await informers.start();
  return { clock, informers, watches, refused };
}

describe('views of the shared informers', () => {
  it('keep an informer running exactly as long as a view holds it, for any sequence of steps', async () => {
    const view = fc.constantFrom(0, 1, 2);
    const kind = fc.constantFrom(widgets, gadgets);
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ do: fc.constant('of' as const), view, kind }) },
      { weight: 4, arbitrary: fc.record({ do: fc.constant('release' as const), view, kind }) },
      fc.record({ do: fc.constant('close' as const), view, kind }),
      // Shorter than a list, as long as a list, and longer, so that steps occur during the first list and
      // during a stop.
      fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, LIST_MS / 2, LIST_MS, 1_000) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { clock, informers, watches } = await setUp();
        const open = () => ({ hold: informers.hold(), kinds: new Set<string>() });
        const views = [open(), open(), open()];
        for (const each of steps) {
          if (each.do === 'wait') {
            await clock.advance(each.ms);
            continue;
          }
          const used = views[each.view] ?? open();
          if (each.do === 'close') {
            void used.hold.close();
            views[each.view] = open();
          } else if (each.do === 'of') {
            used.hold.of(each.kind);
            used.kinds.add(each.kind.plural);
          } else {
            void used.hold.release(each.kind as never);
            used.kinds.delete(each.kind.plural);
          }
        }
        await clock.advance(5_000);
        for (const each of [widgets, gadgets]) {
          const holders = views.filter(({ kinds }) => kinds.has(each.plural));
          expect(watches[each.plural]).toBe(holders.length > 0 ? 1 : 0);
          for (const { hold } of holders) expect(hold.of(each).store.size).toBe(1);
        }
        await informers.stop();
        expect(watches).toEqual({ widgets: 0, gadgets: 0 });
      }),
      { numRuns: 200 },
    );
  });

  it('start a new informer if a kind is acquired again while its previous informer stops', async () => {
    const { clock, informers, watches } = await setUp();
    const hold = informers.hold();
    const first = hold.of(widgets);
    await clock.advance(1_000);
    const stopped = hold.release(widgets as never);
    const second = hold.of(widgets);
    expect(second).not.toBe(first);
    await stopped;
    await clock.advance(1_000);
    expect(watches['widgets']).toBe(1);
    expect(second.store.size).toBe(1);
    await informers.stop();
  });

  it('share a cache of whole objects with a metadata-only view until both views release it', async () => {
    const { clock, informers, watches } = await setUp();
    const [whole, partial]: InformerHold[] = [informers.hold(), informers.hold()];
    whole?.of(widgets);
    const shared = partial?.of(widgets, { metadataOnly: true });
    await clock.advance(1_000);
    await whole?.close();
    await clock.advance(1_000);
    expect(watches['widgets']).toBe(1);
    expect(shared?.store.size).toBe(1);
    await partial?.close();
    expect(watches['widgets']).toBe(0);
  });

  it('start no informer after they are closed', async () => {
    const { clock, informers, watches } = await setUp();
    const hold = informers.hold();
    await hold.close();
    hold.of(widgets);
    await clock.advance(1_000);
    expect(watches['widgets']).toBe(0);
    expect(informers.health()).toEqual([]);
  });

  it('make an informer that backs off retry at once when another view acquires it', async () => {
    const { clock, informers, refused } = await setUp();
    refused.add('widgets');
    const [first, second] = [informers.hold(), informers.hold()];
    const informer = first.of(widgets);
    await clock.advance(3_600_000);
    refused.clear();
    second.of(widgets);
    await clock.advance(2 * LIST_MS);
    expect(informer.synced).toBe(true);
    await informers.stop();
  });
});

describe('an unfilled cache', () => {
  it('rejects lookups with an error that names the cache, and records the early read', async () => {
    const { clock, informers } = await setUp();
    const hold = informers.hold();
    const { store } = hold.of(widgets, { namespace: 'default' });
    hold.of(widgets, { namespace: 'default' }).index('name', (object) => [object.metadata?.name ?? '']);
    const lookUps = [
      () => store.get('default/a'),
      () => store.list(),
      () => store.size,
      () => store.byIndex('name', 'a'),
      () => store.byIndex('namespace', 'default'),
    ];
    for (const lookUp of lookUps) {
      expect(lookUp).toThrow('the cache of widgets in default is not filled');
      expect(lookUp).toThrow(expect.toSatisfy((thrown) => isCoded(thrown, 'ERR_CACHE_NOT_FILLED')));
    }
    expect(hold.held()).toMatchObject([{ name: 'widgets in default', readEarly: true, synced: false }]);
    await clock.advance(LIST_MS);
    for (const lookUp of lookUps) expect(lookUp).not.toThrow();
    await informers.stop();
  });
});
