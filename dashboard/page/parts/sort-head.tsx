/** Column by which the rows of a table are sorted, and the direction. */
export interface Sorting<C extends string = string> {
  readonly column: C;
  readonly isDescending: boolean;
}

/** Head of a column with a button that sorts the rows by it. Another press reverses the order. */
export function SortHead<C extends string>(props: {
  column: C;
  name: string;
  title?: string | undefined;
  sorting: Sorting<C> | undefined;
  onSort: (sorting: Sorting<C>) => void;
}) {
  const { column, name, title, sorting, onSort } = props;
  const isSorted = sorting?.column === column;
  const isDescending = isSorted && sorting.isDescending;
  return (
    <th
      scope="col"
      title={title}
      aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : undefined}
    >
      <button
        type="button"
        class="sort"
        onClick={() => onSort({ column, isDescending: isSorted && !isDescending })}
      >
        {name}
        {isSorted && <span aria-hidden="true">{isDescending ? ' ↓' : ' ↑'}</span>}
      </button>
    </th>
  );
}
