import { DELAYS_MS, LASTING_STEPS, type Strike } from '../world/faults.ts';
import { faultKinds } from '../world/fault-kinds.ts';
import type { Deviation } from '../tape/tape.ts';

const secondsOf = (ms: number): string => `${(ms / 1_000).toFixed(3)} s`;

/**
 * Returns a fault in words: what it affected, and what it did. `object` is the object of a request that
 * creates it, whose path does not name it.
 */
export function describeStrike(
  { name, where }: { readonly name: string; readonly where: string },
  object?: string,
): string {
  const { point, says } = faultKinds.find((kind) => kind.name === name) ?? { point: 'process', says: '' };
  const affected =
    point === 'request' ? describeRequest(where, object) : point === 'event' ? describeEvent(where) : where;
  return `${name} at ${affected}: ${says}`;
}

/** Returns a request such as `job create pods in team` for `job create pods team/`. */
function describeRequest(where: string, object?: string): string {
  const [, what = where, namespace] = /^(.*) ([^ /]+)\/$/.exec(where) ?? [];
  if (namespace === undefined) return where;
  return object === undefined ? `${what} in ${namespace}` : `${what} ${object}`;
}

/** Returns an event such as `the watch of jobs by manager-1, before an event MODIFIED`. */
function describeEvent(where: string): string {
  const [process = '', resource = '', type = ''] = where.split(' ');
  return `the watch of ${resource} by ${process}, event ${type}`;
}

/** Returns a deviation in words; undefined for a fault, which `describeStrike` describes. */
export function describeDeviation({ label, nth, of, took }: Deviation): string | undefined {
  const [kind = '', ...rest] = label.split(' ');
  const what = rest.join(' ');
  const which = nth === 0 ? what : `${what} (number ${nth + 1})`;
  switch (kind) {
    case 'fault':
      return undefined;
    case 'delay':
      return `${which} takes ${DELAYS_MS[took] ?? 0} ms`;
    case 'lasting':
      return `the duration of the fault at ${which} is ${took} on a scale from 0 to ${LASTING_STEPS}`;
    default:
      return `${label}: option ${took + 1} of ${of}`;
  }
}

/** Returns a fault with its time. */
export const describeTimedStrike = (strike: Strike, object?: string): string =>
  `${secondsOf(strike.atMs)}: ${describeStrike(strike, object)}`;
