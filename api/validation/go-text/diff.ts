import { spend } from '../../../base/budget/index.ts';
import { equalJson } from '../../schema/own.ts';
import { type GoNode, type GoPart, goTree, isZero, typeName } from './tree.ts';
import { type Mark, type Text, type TextRecord, ELLIPSIS, printText } from './diff-text.ts';

/** Mode in which a part is printed: equal on both sides, removed, or added. */
type Mode = 'same' | Mark;

/** Work units for printing a difference of two parts. */
const DIFFERENCE_WORK = 10;

/** Number of equal parts printed before and after a difference. */
const CONTEXT = 2;
/** Number of levels to which differing and equal parts are printed. */
const DEPTH = { differing: 3, same: 1 };

/**
 * Formats the difference of two JSON values of a Go type like go-cmp 0.5 (https://github.com/google/go-cmp),
 * which Kubernetes 1.24 uses in errors about immutable specs. Returns an empty string if the values are
 * equal, else a report that ends with a line break.
 */
export function goDiff(type: string, before: unknown, after: unknown): string {
  const [left, right] = [goTree(type, before), goTree(type, after)];
  return isSame(left, right) ? '' : printText({ before: type, text: bodyOf(left, right), after: '' });
}

const isSame = (left: GoNode, right: GoNode): boolean => equalJson(left, right);

interface Pair {
  readonly name: string;
  readonly left: GoNode | undefined;
  readonly right: GoNode | undefined;
}

const differs = ({ left, right }: Pair): boolean => !left || !right || !isSame(left, right);

/** Pairs the parts of two structs, lists or maps. */
function pairsOf(left: GoNode, right: GoNode): readonly Pair[] {
  const [ours, theirs] = [partsOf(left), partsOf(right)];
  if (left.is === 'map') {
    const names = [...new Set([...ours, ...theirs].map(({ name }) => name))].sort();
    const byName = (parts: readonly GoPart[]) => new Map(parts.map(({ name, node }) => [name, node]));
    const [before, after] = [byName(ours), byName(theirs)];
    return names.map((name) => ({ name, left: before.get(name), right: after.get(name) }));
  }
  if (left.is === 'list' && ours.length !== theirs.length) return aligned(ours, theirs);
  return ours.map(({ name, node }, at) => ({ name, left: node, right: theirs[at]?.node }));
}

const partsOf = (node: GoNode): readonly GoPart[] => ('parts' in node ? node.parts : []);

/**
 * Pairs the items of two lists of different lengths. The equal items at the beginning and end are paired; all
 * items between are removed or added.
 */
function aligned(ours: readonly GoPart[], theirs: readonly GoPart[]): readonly Pair[] {
  const same = (a: GoPart | undefined, b: GoPart | undefined): boolean =>
    a !== undefined && b !== undefined && isSame(a.node, b.node);
  const least = Math.min(ours.length, theirs.length);
  let first = 0;
  while (first < least && same(ours[first], theirs[first])) first += 1;
  let last = 0;
  while (last < least - first && same(ours.at(-1 - last), theirs.at(-1 - last))) last += 1;
  const kept = (parts: readonly GoPart[]): Pair[] =>
    parts.map(({ node }) => ({ name: '', left: node, right: node }));
  return [
    ...kept(ours.slice(0, first)),
    ...ours.slice(first, ours.length - last).map(({ node }) => ({ name: '', left: node, right: undefined })),
    ...theirs
      .slice(first, theirs.length - last)
      .map(({ node }) => ({ name: '', left: undefined, right: node })),
    ...kept(ours.slice(ours.length - last)),
  ];
}

/** True if two values are compared as a whole, not part by part. */
const isLeaf = (left: GoNode, right: GoNode): boolean =>
  left.is !== right.is || left.is === 'nil' || left.is === 'plain' || isWhole(left);

/** True if only one path leads to a difference. Both values are then printed completely. */
function isChain(left: GoNode, right: GoNode): boolean {
  if (isLeaf(left, right)) return true;
  if (left.is === 'pointer' && right.is === 'pointer') return isChain(left.to, right.to);
  const pairs = pairsOf(left, right);
  const [only] = pairs;
  return (
    pairs.length === 1 && only !== undefined && (!only.left || !only.right || isChain(only.left, only.right))
  );
}

/** Prints the differences within two values, without the type of the values. */
function bodyOf(left: GoNode, right: GoNode): Text {
  const kind = left.is === 'struct' ? 'field' : left.is === 'list' ? 'element' : 'entry';
  const pairs = pairsOf(left, right);
  const records: TextRecord[] = [];
  const changes = pairs.map(differs);
  for (let at = 0; at < pairs.length;) {
    const changed = changes[at] === true;
    const next = changes.indexOf(!changed, at);
    const end = next < 0 ? pairs.length : next;
    const group = pairs.slice(at, end);
    const shown = changed
      ? group.flatMap((pair) => differing(pair, left))
      : same(group, left, kind, at > 0, end < pairs.length);
    for (const record of shown) records.push(record);
    at = end;
  }
  return { before: '{', text: records, after: '}' };
}

/** Prints a run of equal parts: the parts next to a difference and the number of omitted parts. */
function same(
  group: readonly Pair[],
  parent: GoNode,
  kind: string,
  follows: boolean,
  precedes: boolean,
): readonly TextRecord[] {
  const low = follows ? Math.min(CONTEXT, group.length) : 0;
  let high = precedes ? Math.min(CONTEXT, group.length - low) : 0;
  if (group.length - low - high === 1) high += 1;
  const hidden = group.length - low - high;
  const shown = (pairs: readonly Pair[]): TextRecord[] =>
    pairs.flatMap(({ name, left }) =>
      left ? [{ key: keyOf(name, parent), text: textOf(left, 'same', parent) }] : [],
    );
  const comment = `${hidden} identical ${hidden === 1 ? kind : kind === 'entry' ? 'entries' : `${kind}s`}`;
  return [
    ...shown(group.slice(0, low)),
    ...(hidden > 0 ? [{ key: '', text: ELLIPSIS, comment }] : []),
    ...shown(group.slice(group.length - high)),
  ];
}

function differing({ name, left, right }: Pair, parent: GoNode): readonly TextRecord[] {
  spend(DIFFERENCE_WORK);
  const key = keyOf(name, parent);
  if (left && right && !isChain(left, right)) return [{ key, text: between(left, right, parent) }];
  return [
    ...(left ? [{ key, text: textOf(left, '-', parent), mark: '-' as const }] : []),
    ...(right ? [{ key, text: textOf(right, '+', parent), mark: '+' as const }] : []),
  ];
}

/** Prints the difference of two values that have several parts, following pointers. */
function between(left: GoNode, right: GoNode, parent: GoNode): Text {
  if (left.is === 'pointer' && right.is === 'pointer')
    return { before: '&', text: between(left.to, right.to, parent), after: '' };
  const body = bodyOf(left, right);
  return parent.is === 'struct' ? { before: typeName(left.type), text: body, after: '' } : body;
}

/**
 * Prints the name of a part. Keys of a named Go string type have the prefix `s`, because go-cmp prints them
 * by their `String` method.
 */
const keyOf = (name: string, parent: GoNode): string =>
  parent.is !== 'map' ? name : `${parent.type === 'core.ResourceList' ? 's' : ''}${JSON.stringify(name)}`;

/** Prints one value. Differing fields of structs are printed with their type. */
const textOf = (node: GoNode, mode: Mode, parent: GoNode): Text =>
  mode === 'same' ? equalText(node) : valueText(node, DEPTH.differing, parent.is === 'struct');

/**
 * Prints an equal value: a few parts at each level, and only the upper levels of a value that is compared as
 * a whole.
 */
function equalText(node: GoNode): Text {
  if (!('parts' in node) || isWhole(node)) {
    if (node.is === 'pointer') return { before: '&', text: equalText(node.to), after: '' };
    return valueText(node, DEPTH.same, false, false);
  }
  return { before: '{', text: recordsOf(node, DEPTH.same, equalText), after: '}' };
}

/**
 * Prints a value to a depth. Each level prints at most half as many parts as the level above. `typed` adds
 * the type of the value, `namesTypes` the types of its fields.
 */
function valueText(node: GoNode, depth: number, typed: boolean, namesTypes = true): Text {
  if (node.is === 'nil') return 'nil';
  if (node.is === 'plain') return shortened(node.text, depth);
  if (node.is === 'pointer')
    return { before: '&', text: valueText(node.to, depth, typed, namesTypes), after: '' };
  const below = (part: GoNode): Text =>
    valueText(part, depth - 1, namesTypes && node.is === 'struct', namesTypes);
  const body: Text = { before: '{', text: recordsOf(node, depth, below), after: '}' };
  return typed ? { before: typeName(node.type), text: body, after: '' } : body;
}

function recordsOf(node: GoNode, depth: number, textOfPart: (part: GoNode) => Text): readonly TextRecord[] {
  const most = depth < 1 ? 0 : 2 ** (depth + 1);
  const parts = partsOf(node).filter((part) => node.is !== 'struct' || !isZero(part.node));
  const records = parts
    .slice(0, most)
    .map((part) => ({ key: keyOf(part.name, node), text: textOfPart(part.node) }));
  return parts.length > most ? [...records, { key: '', text: ELLIPSIS }] : records;
}

const isWhole = (node: GoNode): boolean => node.is === 'struct' && node.whole === true;

/**
 * Shortens a long string. Only strings that are equal on both sides, or removed or added as a whole, are
 * shortened.
 */
function shortened(text: string, depth: number): string {
  const most = 2 ** depth * 32;
  return text.startsWith('"') && text.length > most + 5 ? `${text.slice(0, most + 1)}"...` : text;
}
