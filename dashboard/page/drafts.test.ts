import { describe, expect, it } from 'vitest';
import { withVersionOf } from './drafts.ts';

const object = (version: string, data: string): string =>
  `kind: ConfigMap\nmetadata:\n  name: a\n  resourceVersion: ${version}\ndata:\n  a: ${data}\n`;

describe('withVersionOf', () => {
  it('replaces only the resource version', () => {
    expect(withVersionOf(object('"1"', 'mine'), object('"27"', 'theirs'))).toBe(object('"27"', 'mine'));
  });

  it('returns the text unchanged if the other text has no version', () => {
    expect(withVersionOf(object('"1"', 'mine'), 'kind: ConfigMap\n')).toBe(object('"1"', 'mine'));
  });

  it('keeps a resource version that a nested object contains', () => {
    const nested = 'metadata:\n  name: a\nspec:\n  ref:\n    resourceVersion: "3"\n';
    expect(withVersionOf(nested, object('"27"', ''))).toBe(nested);
  });
});
