import { NONE } from '../kinds/columns.ts';

/** Formats labels for a Table: `a=b,c=d` sorted by key, or `<none>` if there are none. */
export function labelsText(labels: { readonly [key: string]: string } | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, text]) => `${key}=${text}`);
  return pairs.length === 0 ? NONE : pairs.sort().join(',');
}
