import { type Clock, toMicroTime } from '../../base/clock/index.ts';
import type { PriorityLevel } from './priority-level.ts';
import type { LimitedRequest } from './queue.ts';

const PREFIX = '/debug/api_priority_and_fairness/';
const NONE = '<none>';

type Row = readonly string[];

/**
 * Returns the current state as a text table. Depending on the path, a row describes a level, a queue or a
 * waiting request. `?includeRequestDetails=1` adds the attributes of requests. Returns undefined for an
 * unknown path.
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
  // Misspelled in upstream, which clients parse.
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

/** Replaces control characters, so that client input cannot break the table. */
const printable = (text: string): string => text.replace(/\p{Cc}/gu, ' ');

/** Formats the arrival time of a request as RFC 3339 without trailing zeros. */
function arrivalOf({ arrivedMs }: LimitedRequest, clock: Clock): string {
  const ms = clock.now() - (clock.monotonic() - arrivedMs);
  return toMicroTime(ms).replace(/\.?0+Z$/, 'Z');
}

const seatSeconds = (value: number): string => `${value.toFixed(8)}ss`;

/** Formats a duration of less than a minute as Go does. */
function duration(ms: number): string {
  if (ms === 0) return '0s';
  return ms < 1000 ? `${trimmed(ms)}ms` : `${trimmed(ms / 1000)}s`;
}

const trimmed = (value: number): string => String(Number(value.toFixed(6)));

/**
 * Aligns the columns of a table. Each cell except the last one of a row ends in a comma and is padded to the
 * width of its column, which is at least 8 characters.
 */
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
