import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/** A list that may be as long as it likes: only the rows that are seen exist. */
export function Rows(props: {
  total: number;
  /** Number of the first row that `render` has. */
  offset: number;
  rowHeight: number;
  label: string;
  render: (at: number) => ComponentChildren;
  /** Told when other rows come into sight. */
  onSight?: (first: number, last: number) => void;
}) {
  const { total, rowHeight, label, render, onSight } = props;
  const [top, setTop] = useState(0);
  const height = Math.min(total, 14) * rowHeight;
  const first = Math.max(0, Math.floor(top / rowHeight) - 4);
  const last = Math.min(total, Math.ceil((top + height) / rowHeight) + 4);
  const numbers = Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at);
  return (
    <div
      class="rows"
      role="list"
      aria-label={label}
      tabIndex={0}
      style={{ height: `${height}px` }}
      onScroll={({ currentTarget }) => {
        setTop(currentTarget.scrollTop);
        const from = Math.floor(currentTarget.scrollTop / rowHeight);
        onSight?.(from, from + Math.ceil(height / rowHeight));
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
