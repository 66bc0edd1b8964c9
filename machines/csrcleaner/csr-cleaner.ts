import { createExpiryMachine } from '../expiry/expiry.ts';

/** Times that determine the end of life of a certificate request, in milliseconds since the epoch. */
export interface RequestTimes {
  readonly createdMs: number;
  readonly approvedMs: number | undefined;
  readonly deniedMs: number | undefined;
  readonly failedMs: number | undefined;
  readonly issued: boolean;
  /** Expiry of the issued certificate; undefined without a certificate or if it cannot be parsed. */
  readonly certificateEndsMs: number | undefined;
}

const HOUR = 3_600_000;
/**
 * Lifetime in milliseconds after denial, failure, or the approval of an issued request:
 * https://github.com/kubernetes/kubernetes/blob/release-1.24/pkg/controller/certificates/cleaner/cleaner.go
 */
const DECIDED_LIFETIME_MS = HOUR;
/** Lifetime in milliseconds after creation of a request that is undecided or not issued. */
const PENDING_LIFETIME_MS = 24 * HOUR;

/**
 * Returns the time after which a request may be deleted, in milliseconds since the epoch. It is the earliest
 * end that applies to the state of the request. Pure.
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
