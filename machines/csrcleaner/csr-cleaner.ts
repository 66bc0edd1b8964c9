import { createExpiryMachine } from '../expiry/expiry.ts';

/** Times that determine the end of life of a certificate request, in milliseconds since the epoch. */
export interface RequestTimes {
  readonly createdMs: number;
  readonly approvedMs: number | undefined;
  readonly deniedMs: number | undefined;
  readonly failedMs: number | undefined;
  readonly issued: boolean;
  /** Expiry of the issued certificate; undefined if there is none or it cannot be parsed. */
  readonly certificateEndsMs: number | undefined;
}

const HOUR = 3_600_000;
/**
 * Lifetime after approval (once issued), denial or failure:
 * https://github.com/kubernetes/kubernetes/blob/release-1.24/pkg/controller/certificates/cleaner/cleaner.go
 */
const DECIDED_LIFETIME_MS = HOUR;
/** Lifetime of a request that is undecided or not issued, from its creation. */
const PENDING_LIFETIME_MS = 24 * HOUR;

/**
 * Returns when a request may be deleted: the earliest end that applies to its state, in milliseconds since
 * the epoch. Pure.
 */
export function endOfLife(request: RequestTimes): number {
  const { approvedMs, deniedMs, failedMs, issued, certificateEndsMs, createdMs } = request;
  const ends = [
    ...(deniedMs === undefined ? [] : [deniedMs + DECIDED_LIFETIME_MS]),
    ...(failedMs === undefined ? [] : [failedMs + DECIDED_LIFETIME_MS]),
    ...(approvedMs !== undefined && issued ? [approvedMs + DECIDED_LIFETIME_MS] : []),
    ...(certificateEndsMs === undefined ? [] : [certificateEndsMs]),
  ];
  return ends.length === 0 ? createdMs + PENDING_LIFETIME_MS : Math.min(...ends);
}

/** Deletes a certificate request after its end of life. */
export const csrCleanerMachine = createExpiryMachine({ id: 'csrcleaner', until: 'end of its life' });
