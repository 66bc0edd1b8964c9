import { useState } from 'preact/hooks';

/** Number of rows rendered above and below the visible ones, so that scrolling shows no gaps. */
const MARGIN_ROWS = 6;

/** Range of rows to render in a scrolling box. */
export interface VisibleRows {
  readonly first: number;
  /** Index after the last row of the range. */
  readonly last: number;
  readonly onScroll: (event: { readonly currentTarget: HTMLElement }) => void;
}

/**
 * Returns the visible rows of a box of `height` pixels with `total` rows of `rowHeight` pixels. Updates them
 * at each scroll.
 */
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
