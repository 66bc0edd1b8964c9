import type { ComponentChildren } from 'preact';
import { useVisibleRows } from './sight.ts';

/** A list of any length, of which only the visible rows are rendered. */
export function Rows(props: {
  total: number;
  rowHeight: number;
  label: string;
  render: (at: number) => ComponentChildren;
  /** Called after a scroll with the visible rows, `last` excluded. */
  onVisible?: (first: number, last: number) => void;
}) {
  const { total, rowHeight, label, render, onVisible } = props;
  const height = Math.min(total, 14) * rowHeight;
  const { first, last, onScroll } = useVisibleRows(total, rowHeight, height);
  const numbers = Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at);
  return (
    <div
      class="rows"
      role="list"
      aria-label={label}
      tabIndex={0}
      style={{ height: `${height}px` }}
      onScroll={(event) => {
        onScroll(event);
        const from = Math.floor(event.currentTarget.scrollTop / rowHeight);
        onVisible?.(from, from + Math.ceil(height / rowHeight));
      }}
    >
      <div class="rows-all" role="presentation" style={{ height: `${total * rowHeight}px` }}>
        {numbers.map((at) => (
          <div
            key={at}
            class="row"
            role="listitem"
            style={{ top: `${at * rowHeight}px`, height: `${rowHeight}px` }}
          >
            {render(at)}
          </div>
        ))}
      </div>
    </div>
  );
}
