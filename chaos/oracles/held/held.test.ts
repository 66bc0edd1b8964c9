import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { orchVocabulary } from '../../../api/vocabulary/index.ts';
import { twins } from '../../controllers/index.ts';

const reasons = twins.flatMap(
  ({ facts }) =>
    facts?.({
      vocabulary: orchVocabulary,
      resources: { namespaced: [], cluster: [] },
      quotasCountedMs: undefined,
    }).reasons ?? [],
);
const known = new Set(reasons.map(({ finalizer }) => finalizer));

/**
 * Pattern for the finalizers that controllers name by a key of the vocabulary, such as `vocabulary.key('',
 * 'pvc-protection')`.
 */
const KEYS = /vocabulary\.key\('([a-z]*)', '([a-z-]*(?:protection|tracking))'\)/g;

describe('the table of finalizers', () => {
  it('contains every finalizer that a controller sets', () => {
    const folder = join(import.meta.dirname, '../../../controllers');
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const used = sources.flatMap((path) =>
      [...(path.endsWith('.ts') ? readFileSync(join(folder, path), 'utf8') : '').matchAll(KEYS)].map(
        ([, group = '', key = '']) => orchVocabulary.key(group, key),
      ),
    );
    expect(used.length).toBeGreaterThan(1);
    expect([...new Set(used)].filter((finalizer) => !known.has(finalizer))).toEqual([]);
    expect(known).toContain(orchVocabulary.namespaceFinalizer);
  });
});
