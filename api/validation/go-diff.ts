import { spend } from '../../base/budget/index.ts';
import { equalJson } from '../schema/own.ts';
import { type GoNode, type GoPart, goTree, isZero } from './go-tree.ts';
import { type Mark, type Text, type TextRecord, ELLIPSIS, printText } from './go-diff-text.ts';

/** How a part is printed: what differs, or one side as it is. */
type Mode = 'same' | Mark;

/** Work units of printing what differs between two parts. */
const DIFFERENCE_WORK = 10;

/** Equal parts shown on each side of what differs. */
const CONTEXT = 2;
/** Depth to which what differs is printed, and what does not. */
const DEPTH = { differing: 3, same: 1 };

/**
 * What differs between two JSON values of a Go type, as go-cmp reports it (version 0.5, which release 1.24 has): what clients
 * read of a spec that must not change. Ends with a line break; empty when nothing differs.
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

/** The parts of two structs, lists or maps side by side. */
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

/** Items of lists of different lengths: what both begin and end with stays, what lies between has gone or come. */
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

/** Whether two values are compared as they are, not part by part. */
const isLeaf = (left: GoNode, right: GoNode): boolean =>
  left.is !== right.is || left.is === 'nil' || left.is === 'plain' || isWhole(left);

/** Whether there is but one way down to what differs: then both sides are shown whole. */
function isChain(left: GoNode, right: GoNode): boolean {
  if (isLeaf(left, right)) return true;
  if (left.is === 'pointer' && right.is === 'pointer') return isChain(left.to, right.to);
  const pairs = pairsOf(left, right);
  const [only] = pairs;
  return (
    pairs.length === 1 && only !== undefined && (!only.left || !only.right || isChain(only.left, only.right))
  );
}

/** The differences below two values, without their type. */
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

/** Equal parts: those next to what differs, and how many there are besides. */
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

/** Two values that have more than one part; a pointer is looked through. */
function between(left: GoNode, right: GoNode, parent: GoNode): Text {
  if (left.is === 'pointer' && right.is === 'pointer')
    return { before: '&', text: between(left.to, right.to, parent), after: '' };
  const body = bodyOf(left, right);
  return parent.is === 'struct' ? { before: typeName(left.type), text: body, after: '' } : body;
}

/** Texts with a name of their own print a mark that they print themselves. */
const keyOf = (name: string, parent: GoNode): string =>
  parent.is !== 'map' ? name : `${parent.type === 'core.ResourceList' ? 's' : ''}${JSON.stringify(name)}`;

const typeName = (type: string): string => type.replace(/\btext\b/g, 'string');

/** One value as it is; fields of structs say what type they are where they differ. */
const textOf = (node: GoNode, mode: Mode, parent: GoNode): Text =>
  mode === 'same' ? equalText(node) : valueText(node, DEPTH.differing, parent.is === 'struct');

/** What does not differ: a few parts at each level, and only the upper levels of what is compared as one. */
function equalText(node: GoNode): Text {
  if (!('parts' in node) || isWhole(node)) {
    if (node.is === 'pointer') return { before: '&', text: equalText(node.to), after: '' };
    return valueText(node, DEPTH.same, false, false);
  }
  return { before: '{', text: recordsOf(node, DEPTH.same, equalText), after: '}' };
}

/**
 * A value to a depth; each level has half as many parts at most as the one above it. `typed`: its type stands before it;
 * `namesTypes`: those of fields stand before them.
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

/** Long texts are cut where nothing differs. */
function shortened(text: string, depth: number): string {
  const most = 2 ** depth * 32;
  return text.startsWith('"') && text.length > most + 5 ? `${text.slice(0, most + 1)}"...` : text;
}
