import { NONE } from '../kinds/columns.ts';

/** Labels as Tables show them: `a=b,c=d` by key, or `<none>`. */
export function labelsText(labels: { readonly [key: string]: string } | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, text]) => `${key}=${text}`);
  return pairs.length === 0 ? NONE : pairs.sort().join(',');
}
