import type { InjectedFault } from '../run/story-line.ts';
import type { EventFault, RequestFault } from '../world/fault-kinds.ts';
import { faultKinds } from '../world/fault-kinds.ts';
import type { Arrow } from './space-time-arrow.ts';
import type { LanePlaces } from './space-time-lanes.ts';

/** The message that a fault affects, and the lanes where it occurs. */
export interface FaultMessage {
  readonly struck: readonly number[];
  readonly arrow?: Omit<Arrow, 'fromRow' | 'toRow' | 'isFaulty'>;
}

/** Effect of a fault on a message: the request or the response, and if it is lost. */
type Effect = readonly [carries: 'request' | 'response', isLost: boolean];

const ON_REQUEST: Readonly<Record<RequestFault, Effect>> = {
  'slow-request': ['request', false],
  'slow-response': ['response', false],
  refused: ['request', true],
  'lost-response': ['response', true],
  unanswered: ['response', true],
  zombie: ['request', false],
  'crash-before': ['request', true],
  'crash-after': ['response', true],
  conflict: ['response', false],
  'too-many-requests': ['response', false],
  'server-error': ['response', false],
  unavailable: ['response', false],
  'stale-list': ['response', false],
  'expired-page': ['response', false],
  touched: ['request', false],
  recreated: ['request', false],
};

/** Faults of a watch after which its event arrives all the same. */
const DELIVERED: ReadonlySet<string> = new Set<EventFault>(['late-events', 'repeated-event']);

/** Returns the message that a fault affects. Its sender is unknown if several processes run the controller. */
export function messageOfFault({ name, where }: InjectedFault, places: LanePlaces): FaultMessage {
  const { point } = faultKinds.find((kind) => kind.name === name) ?? { point: 'process' };
  const [actor = ''] = where.split(' ');
  const { server } = places;
  if (point === 'server') return { struck: [server] };
  if (point === 'process') return { struck: places.lanesOf(actor) };
  if (point === 'event') {
    const to = places.lanesOf(actor)[0];
    if (to === undefined) return { struck: [] };
    return { struck: [to], arrow: { from: server, to, carries: 'event', isLost: !DELIVERED.has(name) } };
  }
  const effect = ON_REQUEST[name as RequestFault] as Effect | undefined;
  const lane = places.onlyLaneOf(actor) ?? places.lanesOf(actor)[0];
  if (effect === undefined || lane === undefined || lane === server) return { struck: [] };
  const [carries, isLost] = effect;
  const [from, to] = carries === 'request' ? [lane, server] : [server, lane];
  return { struck: [lane], arrow: { from, to, carries, isLost } };
}
