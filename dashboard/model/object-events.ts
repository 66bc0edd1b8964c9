/** The fields of an Event that the page reads. Newer clients set `eventTime` and `series` instead of counts. */
export interface EventObject {
  readonly metadata?: { readonly uid?: string; readonly creationTimestamp?: string };
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly lastTimestamp?: string;
  readonly eventTime?: string;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
  readonly source?: { readonly component?: string };
  readonly reportingComponent?: string;
}

/** One Event as a row. */
export interface EventRow {
  readonly id: string;
  /** Time of the last occurrence, in milliseconds since the epoch. */
  readonly lastMs: number;
  readonly type: string;
  readonly reason: string;
  readonly count: number;
  readonly source: string;
  readonly message: string;
}

/** Columns by which Events can be sorted. */
export const EVENT_COLUMNS = [
  ['lastMs', 'last seen'],
  ['type', 'type'],
  ['reason', 'reason'],
  ['count', 'count'],
  ['source', 'source'],
  ['message', 'message'],
] as const;
export type EventColumn = (typeof EVENT_COLUMNS)[number][0];

/** Returns the row of an Event. */
export function eventRowOf(event: EventObject): EventRow {
  const { metadata = {}, series } = event;
  const last = series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime;
  return {
    id: metadata.uid ?? '',
    lastMs: Date.parse(last ?? metadata.creationTimestamp ?? '') || 0,
    type: event.type ?? '',
    reason: event.reason ?? '',
    count: series?.count ?? event.count ?? 1,
    source: event.source?.component || event.reportingComponent || '',
    message: event.message ?? '',
  };
}

/** Returns the rows in the order of a column. Rows with equal values are sorted newest first. */
export function sortEvents(
  rows: readonly EventRow[],
  column: EventColumn,
  isDescending: boolean,
): readonly EventRow[] {
  const direction = isDescending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [left, right] = [a[column], b[column]];
    const order = left === right ? 0 : left < right ? -direction : direction;
    return order === 0 ? b.lastMs - a.lastMs : order;
  });
}
