import { describe, expect, it } from 'vitest';
import { leastProcessorMs } from '../../../test/processor-time.ts';
import { configMaps } from '../../../api/groups/index.ts';
import { configMap, startFixture, writing } from '../registry.fixture.ts';
import { dropRepeatedOwners } from './repeated-owners.ts';

const owner = (uid: string, controller?: boolean) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'owner',
  uid,
  ...(controller === undefined ? {} : { controller }),
});

async function start() {
  const { of } = await startFixture();
  const registry = of(configMaps);
  const warnings: string[] = [];
  const context = writing({ warn: (text) => void warnings.push(text) });
  const owned = (name: string, ...owners: object[]) => configMap(name, {}, { ownerReferences: owners });
  return { registry, warnings, context, owned };
}

const warning = (when: string, uids: string): string =>
  `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject ` +
  `such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}`;
const LATER = ' after mutating admission happens';

describe('a repeated owner', () => {
  it('is stored once by a create and an update, which warn the client', async () => {
    const { registry, warnings, context, owned } = await start();
    const created = await registry.create('default', owned('a', owner('x'), owner('y'), owner('x')), context);
    expect(created.object.metadata?.ownerReferences).toEqual([owner('x'), owner('y')]);
    const body = owned('a', owner('y'), owner('y'), owner('y'));
    const updated = await registry.update('default', 'a', '', body, context);
    expect(updated.object.metadata?.ownerReferences).toEqual([owner('y')]);
    expect(warnings).toEqual([warning('', 'x'), warning('', 'y, y')]);
  });

  it('is stored once by a patch, whose result is checked after admission', async () => {
    const { registry, warnings, context, owned } = await start();
    await registry.create('default', owned('a', owner('x')), context);
    const patch = [{ op: 'add', path: '/metadata/ownerReferences/-', value: owner('x') }];
    const type = 'application/json-patch+json';
    const patched = await registry.patch('default', 'a', '', type, patch, { ...context, force: false });
    expect(patched.object.metadata?.ownerReferences).toEqual([owner('x')]);
    expect(warnings).toEqual([warning(LATER, 'x')]);
  });

  it('is found in linear time: 20,000 owners take less than 5 s', () => {
    const metadata = { ownerReferences: Array.from({ length: 20_000 }, (_, i) => owner(`u${i}`)) };
    const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata };
    const spentMs = leastProcessorMs(5_000, () => void dropRepeatedOwners(object, { warn: () => {} }, ''));
    expect(metadata.ownerReferences).toHaveLength(20_000);
    // Comparing all pairs would take minutes.
    expect(spentMs).toBeLessThan(5_000);
  });

  it('is stored twice if other fields of the two references differ', async () => {
    const { registry, warnings, context, owned } = await start();
    const owners = [owner('x'), owner('x', false), owner('x', true)];
    const created = await registry.create('default', owned('a', ...owners), context);
    expect(created.object.metadata?.ownerReferences).toEqual(owners);
    expect(warnings).toEqual([]);
  });
});
