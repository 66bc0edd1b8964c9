import { useState } from 'preact/hooks';

/** Rows beyond those in sight that exist all the same, so that a scroll does not show gaps. */
const MORE = 6;

/** Which rows of a long list are in sight of a box that scrolls. */
export interface Sight {
  readonly first: number;
  /** One past the last. */
  readonly last: number;
  readonly onScroll: (event: { readonly currentTarget: HTMLElement }) => void;
}

export function useSight(total: number, rowHeight: number, height: number): Sight {
  const [top, setTop] = useState(0);
  // Fewer rows than before may leave the box scrolled past their end until the browser has noticed.
  const from = Math.min(top, Math.max(0, total * rowHeight - height));
  return {
    first: Math.max(0, Math.floor(from / rowHeight) - MORE),
    last: Math.min(total, Math.ceil((from + height) / rowHeight) + MORE),
    onScroll: ({ currentTarget }) => setTop(currentTarget.scrollTop),
  };
}
