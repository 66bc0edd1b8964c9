import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { LabelSelector } from '../../api/types/meta-v1.ts';
import { selectorText } from '../../api/validation/index.ts';

type Selector = DeepReadonly<LabelSelector> | { readonly [key: string]: string };

const isLabelSelector = (selector: Selector): selector is DeepReadonly<LabelSelector> =>
  Object.entries(selector).some(
    ([key, held]) => (key === 'matchLabels' || key === 'matchExpressions') && typeof held === 'object',
  );

/**
 * Returns the query parameter equivalent to a selector of labels or expressions, or '' for an empty selector.
 */
export function selectorQuery(selector: Selector | undefined | null): string {
  if (!selector || Object.keys(selector).length === 0) return '';
  const full = isLabelSelector(selector) ? selector : { matchLabels: selector };
  const text = selectorText(full);
  return text === '<none>' ? '' : text;
}
