import type { AttentionItem } from '../../../runtime/journal/index.ts';
import { LinkedSentence } from './linked-sentence.tsx';

/** Sentences about one object, in a warning. Shows nothing if the object needs no attention. */
export function AttentionSentences({ items }: { items: readonly AttentionItem[] }) {
  if (items.length === 0) return null;
  return (
    <div class="warning" role="status" aria-label="needs attention">
      {items.map((item) => (
        <p key={item.reason}>
          <LinkedSentence item={item} />
        </p>
      ))}
    </div>
  );
}
