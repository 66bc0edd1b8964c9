import { useState } from 'preact/hooks';

/** Rows rendered above and below the visible ones, so that a scroll shows no gaps. */
const MARGIN_ROWS = 6;

/** Range of rows to render in a scrolling box. */
export interface VisibleRows {
  readonly first: number;
  /** One past the last. */
  readonly last: number;
  readonly onScroll: (event: { readonly currentTarget: HTMLElement }) => void;
}

/** Follows the scroll position of a box of `height` pixels with `total` rows of `rowHeight` pixels. */
export function useVisibleRows(total: number, rowHeight: number, height: number): VisibleRows {
  const [top, setTop] = useState(0);
  // After rows were removed, the last scroll position may be past the end until the browser corrects it.
  const from = Math.min(top, Math.max(0, total * rowHeight - height));
  return {
    first: Math.max(0, Math.floor(from / rowHeight) - MARGIN_ROWS),
    last: Math.min(total, Math.ceil((from + height) / rowHeight) + MARGIN_ROWS),
    onScroll: ({ currentTarget }) => setTop(currentTarget.scrollTop),
  };
}
