/** Fields of a Lease that leader election reads. */
export interface LeaseRecord {
  /** Identity of the holder; '' without a holder. */
  readonly holder: string;
  /** Number of changes of the holder, which identifies the term. */
  readonly transitions: number;
  readonly durationMs: number;
}

export interface Candidate {
  readonly identity: string;
  readonly leaseDurationMs: number;
}

/** Move of a candidate: leave the lease to its holder, renew its own lease, or take the lease over. */
export type LeaseMove = 'leave' | 'renew' | 'take';

/**
 * Decides the move of a candidate. Times inside the record come from other clocks and are ignored.
 * @param unchangedMs milliseconds for which this candidate has observed the record unchanged, on its own
 * monotonic clock
 */
export function moveOn(record: LeaseRecord, candidate: Candidate, unchangedMs: number): LeaseMove {
  if (record.holder === candidate.identity) return 'renew';
  if (record.holder === '') return 'take';
  return endsMs(record, candidate, unchangedMs) <= 0 ? 'take' : 'leave';
}

/**
 * Maximum lease duration in milliseconds. A longer duration, such as in a manually edited lease, is shortened
 * to this value.
 */
const MAX_DURATION_MS = 5 * 60_000;
/** Number of terms, at which the term wraps to 0: it is a signed 32-bit integer. */
const TERMS = 2 ** 31;

/** Returns the milliseconds until another candidate may take an unchanged lease. */
export const endsMs = (
  { durationMs }: LeaseRecord,
  { leaseDurationMs }: Candidate,
  unchangedMs: number,
): number => Math.max(Math.min(durationMs, MAX_DURATION_MS), leaseDurationMs) - unchangedMs;

/** Returns the term that a move starts or continues. */
export const termAfter = (record: LeaseRecord, move: LeaseMove): number =>
  move === 'take' ? (record.transitions + 1) % TERMS : record.transitions;
