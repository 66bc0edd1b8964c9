import { createExpiryMachine } from '../expiry/expiry.ts';

/** What the end of a certificate request is reckoned from; times in milliseconds since the epoch. */
export interface RequestTimes {
  readonly createdMs: number;
  readonly approvedMs: number | undefined;
  readonly deniedMs: number | undefined;
  readonly failedMs: number | undefined;
  readonly issued: boolean;
  /** When the issued certificate runs out; undefined without one, or when it cannot be read. */
  readonly certificateEndsMs: number | undefined;
}

const HOUR = 3_600_000;
/** Approved and issued, denied or failed (specification 2, section 3.1). */
const DECIDED_LIFETIME_MS = HOUR;
/** Nobody has decided, or nobody has issued. */
const PENDING_LIFETIME_MS = 24 * HOUR;

/** When a request may be deleted: the earliest of what applies to its state. Pure. */
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

/** Deletes a certificate request whose time is over. */
export const csrCleanerMachine = createExpiryMachine({ id: 'csrcleaner', until: 'end of its life' });
