import { type Clock, toMicroTime } from '../../base/clock/index.ts';
import type { PriorityLevel } from './priority-level.ts';
import type { LimitedRequest } from './queue.ts';

const PREFIX = '/debug/api_priority_and_fairness/';
const NONE = '<none>';

type Row = readonly string[];

/**
 * What is under way, as text: a row a level, a queue or a waiting request (`?includeRequestDetails=1` with what it asks).
 * Undefined for a path that shows nothing.
 */
export function debugTable(
  path: string,
  query: URLSearchParams,
  levels: readonly PriorityLevel[],
  clock: Clock,
): string | undefined {
  if (!path.startsWith(PREFIX)) return undefined;
  const rows = rowsOf(path.slice(PREFIX.length), query, levels, clock);
  return rows === undefined ? undefined : aligned(rows);
}

function rowsOf(
  name: string,
  query: URLSearchParams,
  levels: readonly PriorityLevel[],
  clock: Clock,
): readonly Row[] | undefined {
  switch (name) {
    case 'dump_priority_levels':
      return [LEVEL_COLUMNS, ...levels.map(levelRow)];
    case 'dump_queues':
      return [QUEUE_COLUMNS, ...levels.flatMap(queueRows)];
    case 'dump_requests': {
      const details = (query.get('includeRequestDetails') ?? '') !== '';
      const columns = details ? [...REQUEST_COLUMNS, ...DETAIL_COLUMNS] : REQUEST_COLUMNS;
      return [columns, ...levels.flatMap((level) => requestRows(level, details, clock))];
    }
    default:
      return undefined;
  }
}

const LEVEL_COLUMNS = [
  'PriorityLevelName',
  'ActiveQueues',
  'IsIdle',
  'IsQuiescing',
  'WaitingRequests',
  'ExecutingRequests',
];

function levelRow({ name, queueSet, quiescing }: PriorityLevel): Row {
  if (queueSet === undefined) return [name, ...LEVEL_COLUMNS.slice(1).map(() => NONE)];
  const { queues, isIdle, waitingCount, executingCount } = queueSet;
  const active = queues.filter(({ waiting }) => waiting.size > 0).length;
  return [name, ...[active, isIdle, quiescing, waitingCount, executingCount].map(String)];
}

const QUEUE_COLUMNS = [
  'PriorityLevelName',
  'Index',
  'PendingRequests',
  'ExecutingRequests',
  'SeatsInUse',
  'NextDispatchR',
  'InitialSeatsSum',
  'MaxSeatsSum',
  'TotalWorkSum',
];

function queueRows({ name, queueSet }: PriorityLevel): readonly Row[] {
  if (queueSet === undefined) return [[name, ...QUEUE_COLUMNS.slice(1).map(() => NONE)]];
  return queueSet.queues.map((queue) => [
    name,
    String(queue.index),
    String(queue.waiting.size),
    String(queue.executing),
    String(queue.seatsInUse),
    seatSeconds(queue.nextDispatch),
    String(queue.waitingInitialSeats),
    String(queue.waitingSeats),
    seatSeconds(queue.waitingWork),
  ]);
}

const REQUEST_COLUMNS = [
  'PriorityLevelName',
  'FlowSchemaName',
  'QueueIndex',
  'RequestIndexInQueue',
  // As upstream spells it.
  'FlowDistingsher',
  'ArriveTime',
  'InitialSeats',
  'FinalSeats',
  'AdditionalLatency',
];
const DETAIL_COLUMNS = [
  'UserName',
  'Verb',
  'APIPath',
  'Namespace',
  'Name',
  'APIVersion',
  'Resource',
  'SubResource',
];

function requestRows({ name, queueSet }: PriorityLevel, details: boolean, clock: Clock): readonly Row[] {
  return (queueSet?.queues ?? []).flatMap(({ index, waiting }) =>
    [...waiting].map((request, at) => {
      const { flow, work } = request;
      return [
        name,
        flow.schema,
        String(index),
        String(at),
        printable(flow.distinguisher),
        arrivalOf(request, clock),
        String(work.initialSeats),
        String(work.finalSeats),
        duration(work.additionalLatencyMs),
        ...(details ? detailsOf(request) : []),
      ];
    }),
  );
}

function detailsOf({ about }: LimitedRequest): Row {
  if (about === undefined) return DETAIL_COLUMNS.map(() => '');
  const { user, info } = about;
  const version = info.group === '' ? info.version : `${info.group}/${info.version}`;
  const { verb, path, namespace, name, resource, subresource } = info;
  return [user.username, verb, path, namespace, name, version, resource, subresource].map(printable);
}

/** A stranger's words stay in their cell. */
const printable = (text: string): string => text.replace(/\p{Cc}/gu, ' ');

/** RFC 3339 with as many digits as there are. */
function arrivalOf({ arrivedMs }: LimitedRequest, clock: Clock): string {
  const ms = clock.now() - (clock.monotonic() - arrivedMs);
  return toMicroTime(ms).replace(/\.?0+Z$/, 'Z');
}

const seatSeconds = (value: number): string => `${value.toFixed(8)}ss`;

/** As Go writes a duration below a minute. */
function duration(ms: number): string {
  if (ms === 0) return '0s';
  return ms < 1000 ? `${trimmed(ms)}ms` : `${trimmed(ms / 1000)}s`;
}

const trimmed = (value: number): string => String(Number(value.toFixed(6)));

/** Cells end in a comma and are as wide as the widest of their column, at least 8, and a blank; the last is open. */
function aligned(rows: readonly Row[]): string {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(8, ...rows.map((row) => (row[at] ?? '').length + 2)),
  );
  return rows
    .map((row) =>
      row.map((cell, at) => (at === row.length - 1 ? cell : `${cell},`.padEnd(widths[at] ?? 0))).join(''),
    )
    .map((line) => `${line}\n`)
    .join('');
}
