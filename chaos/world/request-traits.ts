import type { RequestInfo } from '../../apiserver/request.ts';
import type { FaultName } from './fault-kinds.ts';
import type { FaultPlace } from './faults.ts';

const WRITES: Readonly<Record<string, true>> = { create: true, update: true, patch: true, delete: true };
const CHANGES: Readonly<Record<string, true>> = { update: true, patch: true, delete: true };

/** Properties of a request that determine which faults are possible. */
export interface RequestTraits {
  readonly verb: string;
  /** True if the request names one object. */
  readonly named: boolean;
  /** True for a list with a page limit, and for a list with a continue token. */
  readonly paged: boolean;
  readonly continued: boolean;
}

export const traitsOf = ({ verb, name, query }: RequestInfo): RequestTraits => ({
  verb,
  named: name !== '',
  paged: query.has('limit'),
  continued: query.has('continue'),
});

/** True if the fault can be applied to a request with these traits. */
export function canStrike({ verb, named, paged, continued }: RequestTraits, fault: FaultName): boolean {
  switch (fault) {
    case 'conflict':
      return verb in CHANGES;
    case 'touched':
    case 'recreated':
      return verb in CHANGES && named;
    case 'zombie':
    case 'crash-before':
    case 'crash-after':
    case 'lost-response':
      return verb in WRITES;
    case 'stale-list':
      return verb === 'list' && !continued;
    case 'expired-page':
      return verb === 'list' && paged;
    default:
      return true;
  }
}

/**
 * Places of faults. Reads are many, so each is less likely to get a fault. A creation is the only write that
 * no version protects from a second execution.
 */
const CREATION: FaultPlace = { weight: 4, budget: 'writes' };
const CHANGE: FaultPlace = { weight: 2, budget: 'writes' };
const READ: FaultPlace = { weight: 0.2, budget: 'reads' };

/** Returns the place at which a request gets its fault. */
export const placeOf = ({ verb }: RequestTraits): FaultPlace =>
  verb === 'create' ? CREATION : verb in CHANGES ? CHANGE : READ;
