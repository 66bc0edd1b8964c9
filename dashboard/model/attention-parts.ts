import type { AttentionItem, ObjectLink } from '../../runtime/journal/index.ts';

/** Part of a sentence, which may be the name of an object. */
export interface SentencePart {
  readonly text: string;
  readonly link?: ObjectLink;
  /** True for the name of the blocking object. */
  readonly blocks?: true;
}

const nameOf = ({ kind, namespace, name }: ObjectLink): string =>
  `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;

/**
 * Splits the sentence of an item at the names of its object and its blocker. Appends the blocker if the sentence
 * does not name it, so that it is always linked.
 */
export function partsOf({ sentence, object, blocker }: AttentionItem): readonly SentencePart[] {
  const named: readonly SentencePart[] = [
    ...(blocker === undefined ? [] : [{ text: nameOf(blocker), link: blocker, blocks: true as const }]),
    ...(object === undefined ? [] : [{ text: nameOf(object), link: object }]),
  ];
  let parts: readonly SentencePart[] = [{ text: sentence }];
  for (const name of named)
    parts = parts.flatMap((part) => (part.link === undefined ? cut(part, name) : [part]));
  if (blocker === undefined || parts.some(({ blocks }) => blocks)) return parts;
  return [...parts, { text: ' Blocked by ' }, ...named.slice(0, 1), { text: '.' }];
}

/** Cuts a text at the first whole occurrence of a name, so that `a/web` is not found in `a/web-2`. */
function cut(part: SentencePart, name: SentencePart): readonly SentencePart[] {
  const { text } = part;
  for (let at = text.indexOf(name.text); at >= 0; at = text.indexOf(name.text, at + 1)) {
    const end = at + name.text.length;
    if (!/^(?:[.,:]?(?:\s|$))/.test(text.slice(end))) continue;
    return [{ text: text.slice(0, at) }, name, { text: text.slice(end) }].filter((each) => each.text !== '');
  }
  return [part];
}
