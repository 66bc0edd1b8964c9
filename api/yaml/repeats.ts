import { type LineCounter, type Node, type Pair, isMap, isScalar, isSeq } from 'yaml';
import { goQuote } from '../status/index.ts';

/** Maximum number of reported keys, as for JSON. */
const MAX_REPEATS = 100;

/**
 * Returns Go's errors for repeated keys, such as `line 3: key "a" already set in map`. The line is the line
 * of the value. Repeated keys within a value are reported before the key of the value. Merged keys are
 * ignored, and at most 100 errors are returned. The document must be parsed with source tokens.
 */
export function repeatedKeysOf(contents: Node | null, lines: LineCounter): readonly string[] {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (found.length >= MAX_REPEATS) return;
    if (isSeq(node)) for (const item of node.items) visit(item);
    if (!isMap(node)) return;
    const seen = new Set<unknown>();
    for (const pair of node.items) {
      visit(pair.value);
      const key = keyOf(pair);
      if (key === undefined) continue;
      if (seen.has(key) && found.length < MAX_REPEATS) {
        const written = typeof key === 'string' ? goQuote(key) : String(key ?? '<nil>');
        found.push(`line ${lines.linePos(beginOf(pair)).line}: key ${written} already set in map`);
      }
      seen.add(key);
    }
  };
  visit(contents);
  return found;
}

/** Returns the value of a scalar key; undefined for a collection and for the merge key. */
function keyOf({ key }: Pair): unknown {
  if (!isScalar(key)) return undefined;
  return key.source === '<<' && key.type === 'PLAIN' ? undefined : key.value;
}

/**
 * Returns the offset of the value, including its anchor or tag. If there is no value, returns the offset of
 * the `:` after the key.
 */
function beginOf({ srcToken }: Pair): number {
  const before = srcToken?.sep ?? [];
  const token =
    before.find(({ type }) => type === 'anchor' || type === 'tag') ??
    srcToken?.value ??
    before.find(({ type }) => type === 'map-value-ind') ??
    srcToken?.key;
  return token?.offset ?? 0;
}
