import type { AttentionItem, ObjectLink } from '../../../runtime/journal/index.ts';
import { type SentencePart, partsOf } from '../../model/attention-parts.ts';
import { toResource } from '../routes.ts';

/** Returns the address of an object in the explorer. */
export const addressOf = ({ group, version, plural, namespace, name }: ObjectLink): string =>
  toResource(`${group}/${version}/${plural}`, namespace === undefined ? name : `${namespace}/${name}`);

/** Sentence of an item, in which the names of the object and of its blocker are links. */
export function LinkedSentence({ item }: { item: AttentionItem }) {
  return (
    <>
      {partsOf(item).map((part, at) => (
        <Part key={at} part={part} />
      ))}
    </>
  );
}

function Part({ part: { text, link, blocks } }: { part: SentencePart }) {
  if (link === undefined) return <>{text}</>;
  return (
    <a href={addressOf(link)} class={blocks ? 'blocker' : ''}>
      {text}
    </a>
  );
}
