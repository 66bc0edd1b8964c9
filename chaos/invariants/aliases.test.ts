import { describe, expect, it } from 'vitest';
import { parseTrace } from '../run/trace.ts';
import { formerNumberOf, invariantIdOf } from './aliases.ts';
import { all, optional } from './histories/every.fixture.ts';

const ids = [...all, ...optional].map(({ id }) => id);
const numbered = ids.filter((id) => formerNumberOf(id) !== undefined);

describe('former numbers of invariants', () => {
  it('each name one existing invariant, and no two name the same', () => {
    expect(numbered.length).toBeGreaterThan(130);
    for (const id of numbered) expect(invariantIdOf(formerNumberOf(id) ?? '')).toBe(id);
    expect(invariantIdOf('cronjob/N1')).toBe('cronjob/no-duplicate-run');
  });

  it('are the only identifiers that contain numbers', () => {
    expect(ids.filter((id) => /\/[A-Z]+\d+$/.test(id))).toEqual([]);
    expect(invariantIdOf('cronjob/no-duplicate-run')).toBe('cronjob/no-duplicate-run');
  });

  it('are accepted in recorded traces', () => {
    const expected = { verdict: 'FAIL', hash: 'h', invariant: 'cronjob/N1' };
    const text = JSON.stringify({ version: 1, scenario: {}, tape: { labels: [], rows: [] }, expected });
    expect(parseTrace(text).expected).toEqual({ ...expected, invariant: 'cronjob/no-duplicate-run' });
  });
});
