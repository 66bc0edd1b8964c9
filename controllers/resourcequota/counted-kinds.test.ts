import { describe, expect, it } from 'vitest';
import { builtinKinds } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { isCoded } from '../../base/errors/coded.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { type ControllerContext, createClient, createInMemoryTransport } from '../../runtime/index.ts';
import { createCountedKinds } from './counted-kinds.ts';

const gadgets = {
  resource: 'gadgets',
  responseKind: { group: '', version: '', kind: 'Gadget' },
  scope: 'Namespaced',
  verbs: ['list'],
};
/** Returns the discovery document of a group with one version. */
const group = (version: object) => ({ metadata: { name: 'example.com' }, versions: [version] });

/**
 * Counts `count/gadgets.example.com` with a server whose discovery documents are `groups`, one after another.
 */
function setUp(...groups: object[]) {
  const clock = createSimulatedClock();
  const scheme = createScheme(orchVocabulary, builtinKinds);
  const transport = createInMemoryTransport({
    clock,
    handler: async ({ url }) => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(
        JSON.stringify({ kind: 'APIGroupDiscoveryList', items: url === '/apis' ? groups : [] }),
      ),
    }),
  });
  const client = createClient({ scheme, transport, clock, log: silentLogger, userAgent: 'test' });
  const dropped: string[] = [];
  const context = { client, scheme, clock } as unknown as ControllerContext;
  const kindsFor = createCountedKinds(context, ({ kind }) => dropped.push(`${kind.plural} ${kind.version}`));
  const versions = async () =>
    (await kindsFor(['count/gadgets.example.com'], new AbortController().signal)).kinds.map(
      ({ kind }) => `${kind.plural} ${kind.version}`,
    );
  return { clock, groups, versions, dropped };
}

describe('createCountedKinds', () => {
  it('drops a kind that is served at another version, and a kind that is no longer served', async () => {
    const { clock, groups, versions, dropped } = setUp(group({ version: 'v1alpha1', resources: [gadgets] }));
    expect(await versions()).toEqual(['gadgets v1alpha1']);
    groups.splice(0, 1, group({ version: 'v1', resources: [gadgets] }));
    await clock.advance(60_000);
    expect(await versions()).toEqual(['gadgets v1']);
    expect(dropped).toEqual(['gadgets v1alpha1']);
    groups.length = 0;
    await clock.advance(60_000);
    expect(await versions()).toEqual([]);
    expect(dropped).toEqual(['gadgets v1alpha1', 'gadgets v1']);
  });

  it('finds a kind at once that was not served at the previous lookup', async () => {
    const { groups, versions } = setUp();
    expect(await versions()).toEqual([]);
    groups.push(group({ version: 'v1', resources: [gadgets] }));
    expect(await versions()).toEqual(['gadgets v1']);
  });

  it('fails, and drops nothing, while the group of a kind cannot be discovered', async () => {
    const { clock, groups, versions, dropped } = setUp(group({ version: 'v1', resources: [gadgets] }));
    await versions();
    groups.splice(0, 1, group({ version: 'v1', freshness: 'Stale' }));
    await clock.advance(60_000);
    await expect(versions()).rejects.toSatisfy((thrown) => isCoded(thrown, 'ERR_KINDS_UNKNOWN'));
    groups.splice(0, 1, group({ version: 'v1', resources: [gadgets] }));
    expect(await versions()).toEqual(['gadgets v1']);
    expect(dropped).toEqual([]);
  });
});
