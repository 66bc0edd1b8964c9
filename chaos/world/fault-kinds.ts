/** Where a fault can be injected. */
export type FaultPoint = 'request' | 'event' | 'process' | 'server' | 'command' | 'redis';

/** A kind of fault. `name` is its name in `--faults`. */
export interface FaultKind {
  readonly name: FaultName;
  readonly point: FaultPoint;
  /** Numbers in the fault taxonomy of docs/reference/faults.md, such as `F6`. */
  readonly numbers: readonly string[];
  readonly says: string;
  /** Factor by which the fault is more likely than others at a place where both are possible. */
  readonly weight: number;
}

/**
 * Weights of faults after which a process does not know what has happened: a write was executed without a
 * response, or objects changed without an event. They are rare in production and find most, so they are drawn
 * more often.
 */
const WEIGHTS: { readonly [name in FaultName]?: number } = {
  'lost-response': 5,
  unanswered: 2,
  'crash-after': 2,
  'late-events': 2,
  'expired-watch': 4,
};

/**
 * Faults that are injected only if the user names them. With a wrong server clock, invariants that compare
 * server times cannot be evaluated.
 */
const ASKED_FOR: ReadonlySet<FaultName> = new Set<FaultName>(['api-clock-forward']);

/** Name of a fault of any kind. */
export type FaultName = RequestFault | EventFault | ProcessFault | ServerFault | CommandFault | RedisFault;

export type RequestFault =
  | 'slow-request'
  | 'slow-response'
  | 'refused'
  | 'lost-response'
  | 'unanswered'
  | 'zombie'
  | 'crash-before'
  | 'crash-after'
  | 'conflict'
  | 'too-many-requests'
  | 'server-error'
  | 'unavailable'
  | 'stale-list'
  | 'expired-page'
  | 'touched'
  | 'recreated';

export type EventFault =
  'late-events' | 'repeated-event' | 'cut-watch' | 'ended-watch' | 'silent-watch' | 'expired-watch';

export type ProcessFault =
  'crash' | 'pause' | 'clock-forward' | 'clock-back' | 'partition' | 'early-key' | 'restart-storm';

export type ServerFault = 'compaction' | 'api-restart' | 'api-clock-forward';

/** Fault of one command sent to the Redis server that holds shared keys. */
export type CommandFault = 'redis-slow' | 'redis-refused' | 'redis-lost-response';

export type RedisFault = 'redis-restart' | 'redis-failover' | 'redis-flush' | 'redis-partition';

const at = (
  point: FaultPoint,
  kinds: readonly (readonly [name: FaultName, numbers: string, says: string])[],
): readonly FaultKind[] =>
  kinds.map(([name, numbers, says]) => {
    const { [name]: weight = 1 } = WEIGHTS;
    return { name, point, numbers: numbers.split(' '), says, weight };
  });

/** All kinds of faults. Recorded choices contain positions in this list, so its order must not change. */
export const faultKinds: readonly FaultKind[] = [
  ...at('request', [
    ['slow-request', 'F10', 'the request arrives late'],
    ['slow-response', 'F10', 'the response arrives late'],
    ['refused', 'F6', 'the connection breaks before the request arrives'],
    [
      'lost-response',
      'F5 F6',
      'the request is carried out, but the connection breaks before its response arrives',
    ],
    ['unanswered', 'F6', 'the request is carried out, but its response never arrives'],
    ['zombie', 'F7', 'the sender crashes, and its request arrives later'],
    ['crash-before', 'F1', 'the sender crashes, and its request never arrives'],
    ['crash-after', 'F1', 'the request is carried out, but the sender crashes before its response arrives'],
    ['conflict', 'F4', 'the write is answered with 409 and not carried out'],
    ['too-many-requests', 'F8', 'the request is answered with 429 and not carried out'],
    ['server-error', 'F9', 'the request is answered with 500 and not carried out'],
    ['unavailable', 'F9 F11', 'the request is answered with 503 and not carried out'],
    ['stale-list', 'F2', 'the list returns an older revision'],
    ['expired-page', 'F12 F13', 'the list is paged, and its continue token has expired'],
    ['touched', 'F4 F36', 'another client changes the object just before the write arrives'],
    ['recreated', 'F19 F34', 'another client deletes and recreates the object just before the write arrives'],
  ]),
  ...at('event', [
    ['late-events', 'F3 F18', 'the watch lags from this event on'],
    ['repeated-event', 'F15', 'the event is delivered twice'],
    ['cut-watch', 'F14', 'the connection of the watch breaks before this event'],
    ['ended-watch', 'F14', 'the server ends the watch before this event'],
    ['silent-watch', 'F14', 'the watch stays open but delivers no more events'],
    [
      'expired-watch',
      'F3 F12',
      'the watch lags until its version has expired, so that changes in between appear only in a list',
    ],
  ]),
  ...at('process', [
    ['crash', 'F1', 'the process crashes and is restarted'],
    ['pause', 'F24 F26', 'the process pauses and resumes'],
    ['clock-forward', 'F21', 'the wall clock of the node is set forward'],
    ['clock-back', 'F21', 'the wall clock of the node is set back'],
    ['partition', 'F14 F24', 'the process cannot reach the API server'],
    ['early-key', 'F31', 'the queue delivers a key that is not due'],
    ['restart-storm', 'F25', 'the process crashes three times in a row'],
  ]),
  ...at('server', [
    ['compaction', 'F12', 'the store drops all history'],
    ['api-restart', 'F32', 'the API server crashes and is restarted on the same store'],
    ['api-clock-forward', 'F21', 'the wall clock of the API server is set forward'],
  ]),
  ...at('command', [
    ['redis-slow', 'F27 F31', 'the command arrives late at Redis'],
    ['redis-refused', 'F30', 'the connection to Redis breaks before the command arrives'],
    [
      'redis-lost-response',
      'F27 F29',
      'the command is carried out, but the connection breaks before its reply arrives',
    ],
  ]),
  ...at('redis', [
    ['redis-restart', 'F30', 'Redis crashes and is restarted with its data'],
    ['redis-failover', 'F30 F31', 'a replica takes over without the latest writes'],
    ['redis-flush', 'F30', 'all data in Redis is deleted'],
    ['redis-partition', 'F27 F28', 'a process cannot reach Redis'],
  ]),
];

/**
 * Returns the faults with a name or with a number of the fault taxonomy, such as `F14`. The list is empty if
 * there are none.
 */
export const faultsNamed = (text: string): readonly FaultName[] =>
  faultKinds.filter(({ name, numbers }) => name === text || numbers.includes(text)).map(({ name }) => name);

/** True if the fault affects the shared Redis server or a connection to it. */
export const isRedisFault = (name: FaultName): boolean => REDIS_FAULTS.has(name);

const REDIS_FAULTS: ReadonlySet<FaultName> = new Set(
  faultKinds.flatMap(({ name, point }) => (point === 'command' || point === 'redis' ? [name] : [])),
);

/** Default faults of runs with shared keys. */
export const sharedKeyFaults: readonly FaultName[] = faultKinds.flatMap(({ name }) =>
  ASKED_FOR.has(name) ? [] : [name],
);

/** Default faults of runs without shared keys. */
export const ordinaryFaults: readonly FaultName[] = sharedKeyFaults.filter((name) => !isRedisFault(name));

const byPoint = new Map<FaultPoint, readonly FaultKind[]>(
  (['request', 'event', 'process', 'server', 'command', 'redis'] as const).map((point) => [
    point,
    faultKinds.filter((kind) => kind.point === point),
  ]),
);

export const faultKindsAt = (point: FaultPoint): readonly FaultKind[] => byPoint.get(point) ?? [];
