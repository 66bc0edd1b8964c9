import type { Node, SourceFile } from 'typescript/unstable/ast';
import type { Change, Role } from './change.ts';

/** A change with the number of its switch. */
export interface NumberedChange extends Change {
  readonly id: number;
}

const SWITCH = 'isMutantOn';

/** Place in the source with the changes of one node. */
interface Place {
  readonly node: Node;
  readonly changes: readonly NumberedChange[];
}

/**
 * Returns the source of a file with each change behind a switch.
 *
 * A replacement contains no switches, because at most one mutant is on. Lines keep their numbers: the import
 * of the switch is on the first line, and a replacement is joined to one line.
 * @param switchModule import specifier of `switch.ts`
 */
export function instrument(
  file: SourceFile,
  changes: readonly NumberedChange[],
  switchModule: string,
): string {
  const places = placesOf(changes);
  const body = written(file, places, 0, file.text.length, file.text);
  return changes.length === 0 ? body : `import { ${SWITCH} } from '${switchModule}'; ${body}`;
}

function placesOf(changes: readonly NumberedChange[]): Place[] {
  const byNode = new Map<Node, NumberedChange[]>();
  for (const change of changes) {
    const known = byNode.get(change.node);
    if (known) known.push(change);
    else byNode.set(change.node, [change]);
  }
  // Outer nodes precede inner ones, and otherwise nodes have source order.
  return [...byNode]
    .map(([node, own]) => ({ node, changes: own }))
    .toSorted((a, b) => a.node.getStart() - b.node.getStart() || b.node.end - a.node.end);
}

/** Returns the source between two offsets with the switches of all places in it. */
function written(file: SourceFile, places: Place[], from: number, to: number, text: string): string {
  let at = from;
  let out = '';
  while (places[0] !== undefined && places[0].node.getStart() < to) {
    const { node, changes } = places.shift() as Place;
    const start = node.getStart();
    out += text.slice(at, start) + switched(changes, written(file, places, start, node.end, text));
    at = node.end;
  }
  return out + text.slice(at, to);
}

/** Roles from the innermost to the outermost switch of one node. */
const INSIDE_OUT: readonly Role[] = ['expression', 'element', 'member', 'statement', 'before'];

/** Returns the source of a node with a switch for each change around it. */
const switched = (changes: readonly NumberedChange[], original: string): string =>
  changes
    .toSorted((a, b) => INSIDE_OUT.indexOf(a.role) - INSIDE_OUT.indexOf(b.role))
    .reduce((text, change) => oneSwitch(change, text), original);

function oneSwitch({ id, role, text }: NumberedChange, original: string): string {
  const on = `${SWITCH}(${id})`;
  const replacement = onOneLine(text);
  switch (role) {
    case 'expression':
      return `(${on} ? (${replacement}) : (${original}))`;
    case 'statement':
      return replacement === ''
        ? `{ if (!${on}) ${original} }`
        : `{ if (${on}) { ${replacement} } else ${original} }`;
    case 'before':
      return `if (${on}) { ${replacement} } ${original}`;
    case 'member':
      return `...(${on} ? { ${replacement} } : { ${original} })`;
    case 'element':
      return `...(${on} ? [${replacement}] : [${original}])`;
  }
}

/** Joins the lines of a replacement after removing line comments. */
const onOneLine = (text: string): string =>
  text
    .replaceAll(/(^|\s)\/\/.*$/gm, '$1')
    .replaceAll(/\s*\n\s*/g, ' ')
    .trim();
