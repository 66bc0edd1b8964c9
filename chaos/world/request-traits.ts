import type { RequestInfo } from '../../apiserver/request.ts';
import type { FaultName } from './fault-kinds.ts';

const WRITES: Readonly<Record<string, true>> = { create: true, update: true, patch: true, delete: true };
const CHANGES: Readonly<Record<string, true>> = { update: true, patch: true, delete: true };

/** What of a request decides which faults can strike it. */
export interface RequestTraits {
  readonly verb: string;
  /** Of one object. */
  readonly named: boolean;
  /** A list that asks for pages, and one that goes on. */
  readonly paged: boolean;
  readonly continued: boolean;
}

export const traitsOf = ({ verb, name, query }: RequestInfo): RequestTraits => ({
  verb,
  named: name !== '',
  paged: query.has('limit'),
  continued: query.has('continue'),
});

/** Whether a fault makes sense for a request. */
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
