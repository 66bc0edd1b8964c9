import { expect, it } from 'vitest';
import { configMaps, pods } from '../api/groups/index.ts';
import { type AnyKind, createScheme } from '../api/kinds/scheme.ts';
import { kubernetesVocabulary } from '../api/vocabulary/vocabulary.ts';
import { createCatalogue } from './catalogue.ts';

const [maps, ...others] = [configMaps, pods] as unknown as readonly [AnyKind, AnyKind];
const builtIn = createScheme(kubernetesVocabulary, [maps, ...others]);
const custom = { ...maps, group: 'example.com', plural: 'widgets', kind: 'Widget' };

it('a new custom kind is returned by schemes obtained before it was added', () => {
  const { kept, served, replaceCustom } = createCatalogue({ builtIn });
  const before = served.kinds;
  replaceCustom([custom]);
  for (const scheme of [kept, served]) {
    expect(scheme.byResource('example.com', 'v1', 'widgets')).toBe(custom);
    expect(scheme.byApiVersion('example.com/v1', 'Widget')).toBe(custom);
    expect(scheme.kinds).toContain(custom);
  }
  expect(served.kinds).not.toBe(before);
  replaceCustom([]);
  expect(served.byResource('example.com', 'v1', 'widgets')).toBeUndefined();
});

it('a catalogue returns the same array of kinds while nothing changes', () => {
  const { served, replaceCustom } = createCatalogue({ builtIn });
  replaceCustom([custom]);
  const before = served.kinds;
  replaceCustom([custom]);
  expect(served.kinds).toBe(before);
});

it('a custom kind never replaces a built-in kind of the same resource', () => {
  const { kept, replaceCustom } = createCatalogue({ builtIn });
  replaceCustom([{ ...custom, group: '', plural: 'configmaps' }]);
  expect(kept.byResource('', 'v1', 'configmaps')).toBe(maps);
  expect(kept.kinds).toEqual(builtIn.kinds);
});

it('a custom kind in a built-in group version is rejected, unless that group version is not served', () => {
  const intruder = { ...custom, group: '' };
  const { served, replaceCustom } = createCatalogue({ builtIn });
  replaceCustom([intruder, { ...intruder, version: 'v2' }]);
  expect(served.kinds.filter(({ kind }) => kind === 'Widget').map(({ version }) => version)).toEqual(['v2']);
  const free = createCatalogue({ builtIn, serves: () => false });
  free.replaceCustom([intruder]);
  expect(free.served.kinds).toEqual([intruder]);
});

it('an unserved built-in kind is in the kept scheme and not in the served scheme', () => {
  const { kept, served } = createCatalogue({ builtIn, serves: (kind) => kind !== maps });
  expect(served.byResource('', 'v1', 'configmaps')).toBeUndefined();
  expect(kept.byResource('', 'v1', 'configmaps')).toBe(maps);
});
