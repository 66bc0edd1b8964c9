import type { AttentionItem } from '../../../runtime/journal/index.ts';
import type { AttentionDocument } from '../../model/attention.ts';
import { useDocument } from '../journal.ts';

/** Returns the items of one object, by the plural of its kind and its key. Empty if it needs no attention. */
export function useAttention(plural: string, key: string): readonly AttentionItem[] {
  const { document } = useDocument<AttentionDocument>(
    `attention?${new URLSearchParams({ kind: plural, key })}`,
  );
  return document?.kind === 'Attention' ? document.items : [];
}
