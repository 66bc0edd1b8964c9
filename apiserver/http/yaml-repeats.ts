import { type LineCounter, type Node, type Pair, isMap, isScalar, isSeq } from 'yaml';
import { goQuote } from '../../api/status/index.ts';

/** As many as are said of JSON. */
const MAX_REPEATS = 100;

/**
 * Keys that a mapping has more than once, in the words of Go's strict reader: `line 3: key "a" already set in map`. The line
 * is that of the value; what is within a value comes before its key. No more than a hundred. Keys merged in with `<<`
 * count for nothing. The document must have been read with its source tokens.
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

/** Undefined for what is no key of its own. */
function keyOf({ key }: Pair): unknown {
  if (!isScalar(key)) return undefined;
  return key.source === '<<' && key.type === 'PLAIN' ? undefined : key.value;
}

/** Where the value begins, its anchor or tag included; where its key ends when there is none. */
function beginOf({ srcToken }: Pair): number {
  const before = srcToken?.sep ?? [];
  const token =
    before.find(({ type }) => type === 'anchor' || type === 'tag') ??
    srcToken?.value ??
    before.find(({ type }) => type === 'map-value-ind') ??
    srcToken?.key;
  return token?.offset ?? 0;
}
