/** Where a fault can strike. */
export type FaultPoint = 'request' | 'event' | 'process' | 'server' | 'command' | 'redis';

/** One kind of fault, by the name that `--faults` takes. */
export interface FaultKind {
  readonly name: FaultName;
  readonly point: FaultPoint;
  /** Its numbers in the taxonomy of faults: `F6`. */
  readonly numbers: readonly string[];
  readonly says: string;
}

/** Strikes only where it is asked for: what is judged by the time of the API server cannot be judged by a wrong one. */
const ASKED_FOR: ReadonlySet<FaultName> = new Set<FaultName>(['api-clock-forward']);

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

/** Of a command to the Redis that shared keys are in. */
export type CommandFault = 'redis-slow' | 'redis-refused' | 'redis-lost-response';

export type RedisFault = 'redis-restart' | 'redis-failover' | 'redis-flush' | 'redis-partition';

const at = (
  point: FaultPoint,
  kinds: readonly (readonly [name: FaultName, numbers: string, says: string])[],
): readonly FaultKind[] =>
  kinds.map(([name, numbers, says]) => ({ name, point, numbers: numbers.split(' '), says }));

/** Every kind, in the order in which a choice counts them. */
export const faultKinds: readonly FaultKind[] = [
  ...at('request', [
    ['slow-request', 'F10', 'the request is long on its way'],
    ['slow-response', 'F10', 'the answer is long on its way'],
    ['refused', 'F6', 'the connection breaks before the request has arrived'],
    [
      'lost-response',
      'F5 F6',
      'the request is carried out, the connection breaks before its answer has arrived',
    ],
    ['unanswered', 'F6', 'the request is carried out, its answer never comes'],
    ['zombie', 'F7', 'the sender dies, its request arrives later'],
    ['crash-before', 'F1', 'the sender dies, its request never arrives'],
    ['crash-after', 'F1', 'the request is carried out, the sender dies before its answer has arrived'],
    ['conflict', 'F4', 'the write is answered with 409 and not carried out'],
    ['too-many-requests', 'F8', 'the request is answered with 429 and not carried out'],
    ['server-error', 'F9', 'the request is answered with 500 and not carried out'],
    ['unavailable', 'F9 F11', 'the request is answered with 503 and not carried out'],
    ['stale-list', 'F2', 'the list shows an older revision'],
    ['expired-page', 'F12 F13', 'the list comes in pages, and its continuation has expired'],
    ['touched', 'F4 F36', 'somebody changes the object just before the write arrives'],
    ['recreated', 'F19 F34', 'somebody deletes the object and makes it anew just before the write arrives'],
  ]),
  ...at('event', [
    ['late-events', 'F3 F18', 'the watch lags from this event on'],
    ['repeated-event', 'F15', 'the event is delivered twice'],
    ['cut-watch', 'F14', 'the connection of the watch breaks before this event'],
    ['ended-watch', 'F14', 'the server ends the watch before this event'],
    ['silent-watch', 'F14', 'the watch stays open and delivers nothing more'],
    [
      'expired-watch',
      'F3 F12',
      'the watch lags, then its version has expired: what came in between is seen in a list alone',
    ],
  ]),
  ...at('process', [
    ['crash', 'F1', 'the process dies and is started again'],
    ['pause', 'F24 F26', 'the process stands still and goes on'],
    ['clock-forward', 'F21', 'the wall clock of the node is set forward'],
    ['clock-back', 'F21', 'the wall clock of the node is set back'],
    ['partition', 'F14 F24', 'nothing passes between the process and the API server'],
    ['early-key', 'F31', 'the queue brings a key up that is not due'],
    ['restart-storm', 'F25', 'the process dies three times in a row'],
  ]),
  ...at('server', [
    ['compaction', 'F12', 'the history before now is forgotten'],
    ['api-restart', 'F32', 'the API server dies and is started again on the same store'],
    ['api-clock-forward', 'F21', 'the wall clock of the API server is set forward'],
  ]),
  ...at('command', [
    ['redis-slow', 'F27 F31', 'the command is long on its way to Redis'],
    ['redis-refused', 'F30', 'the connection to Redis breaks before the command has arrived'],
    [
      'redis-lost-response',
      'F27 F29',
      'the command is carried out, the connection breaks before its answer has arrived',
    ],
  ]),
  ...at('redis', [
    ['redis-restart', 'F30', 'Redis dies and is started again with what it had'],
    ['redis-failover', 'F30 F31', 'another takes over, without what came since it was last told'],
    ['redis-flush', 'F30', 'everything in Redis is taken away'],
    ['redis-partition', 'F27 F28', 'nothing passes between a process and Redis'],
  ]),
];

/** Whether it strikes the Redis that shared keys are in, or the way to it. */
export const isRedisFault = (name: FaultName): boolean => REDIS_FAULTS.has(name);

const REDIS_FAULTS: ReadonlySet<FaultName> = new Set(
  faultKinds.flatMap(({ name, point }) => (point === 'command' || point === 'redis' ? [name] : [])),
);

/** Those that strike when nothing else is said, where keys are shared too. */
export const sharedKeyFaults: readonly FaultName[] = faultKinds.flatMap(({ name }) =>
  ASKED_FOR.has(name) ? [] : [name],
);

/** Those that strike when nothing else is said. */
export const ordinaryFaults: readonly FaultName[] = sharedKeyFaults.filter((name) => !isRedisFault(name));

const byPoint = new Map<FaultPoint, readonly FaultKind[]>(
  (['request', 'event', 'process', 'server', 'command', 'redis'] as const).map((point) => [
    point,
    faultKinds.filter((kind) => kind.point === point),
  ]),
);

export const faultKindsAt = (point: FaultPoint): readonly FaultKind[] => byPoint.get(point) ?? [];
