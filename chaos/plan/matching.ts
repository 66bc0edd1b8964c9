import { qualified } from '../../api/status/index.ts';
import type { RequestInfo } from '../../apiserver/request.ts';
import { isAnyOf } from './patterns.ts';
import type { EventType, Rule } from './plan.ts';
import { type WireFault, wireFaults } from './wire-faults.ts';

/** A request with its sender. */
export interface Passing {
  readonly info: RequestInfo;
  readonly user: string;
  readonly userAgent: string;
}

/** An event of a watch. */
export interface PassingEvent {
  readonly type: EventType;
  readonly namespace: string;
  readonly name: string;
  /** Version of the event's object; undefined if the event has none. */
  readonly revision?: number;
}

/** Maximum length of a user agent in labels, in characters. Longer user agents are cut. */
const LONGEST_NAME = 160;

/** Returns the label of the random sequence that equal requests of one rule and client share. */
export const laneName = ({ name }: Rule, { info, user, userAgent }: Passing): string =>
  `${name}: ${user} ${userAgent.slice(0, LONGEST_NAME)} ${info.verb} ${targetOf(info)}`;

/**
 * True if a rule matches a request, apart from conditions on the object. The objects of a watch are known
 * only when its events arrive.
 */
export function isAbout({ match, fault }: Rule, { info, user, userAgent }: Passing): boolean {
  const possible = wireFaults[fault.name].verbs;
  if (match.paths === undefined ? !info.isResourceRequest : !isAnyOf(match.paths, info.path)) return false;
  return (
    (match.verbs?.includes(info.verb) ?? true) &&
    (possible?.includes(info.verb) ?? true) &&
    isAnyOf(match.resources, targetOf(info)) &&
    isAnyOf(match.users, user) &&
    isAnyOf(match.userAgents, userAgent)
  );
}

/**
 * True if a fault is possible for a request, apart from the request's verb. @param views number of older
 * views that a stale read could return
 */
export function fits(fault: WireFault, { info: { query } }: Passing, views: number): boolean {
  switch (fault) {
    case 'stale-list':
      return views > 0;
    case 'expired-page':
      return query.has('continue');
    default:
      return true;
  }
}

/**
 * Returns a resource such as `jobs.batch` or `deployments.apps/status`; the path of a non-resource request.
 */
export const targetOf = (info: RequestInfo): string =>
  info.isResourceRequest
    ? `${qualified(info)}${info.subresource === '' ? '' : `/${info.subresource}`}`
    : info.path;
