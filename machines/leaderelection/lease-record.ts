/** Fields of a Lease that leader election reads. */
export interface LeaseRecord {
  /** Identity of the holder; empty if there is none. */
  readonly holder: string;
  /** Number of changes of the holder: the term. */
  readonly transitions: number;
  readonly durationMs: number;
}

export interface Candidate {
  readonly identity: string;
  readonly leaseDurationMs: number;
}

/** Move of a candidate: leave the lease to its holder, renew its own, or take it over. */
export type LeaseMove = 'leave' | 'renew' | 'take';

/**
 * Decides the move of a candidate. `unchangedMs` is the time for which this candidate has observed the record
 * unchanged, on its own monotonic clock. Times inside the record come from other clocks and are ignored.
 */
export function moveOn(record: LeaseRecord, candidate: Candidate, unchangedMs: number): LeaseMove {
  if (record.holder === candidate.identity) return 'renew';
  if (record.holder === '') return 'take';
  return endsMs(record, candidate, unchangedMs) <= 0 ? 'take' : 'leave';
}

/** Upper bound of a believed lease duration in milliseconds; a lease edited by hand may claim more. */
const LONGEST_MS = 5 * 60_000;
/** Number of terms: a term is a signed 32-bit integer and wraps to 0. */
const TERMS = 2 ** 31;

/** Returns the milliseconds until an unchanged lease may be taken. */
export const endsMs = (
  { durationMs }: LeaseRecord,
  { leaseDurationMs }: Candidate,
  unchangedMs: number,
): number => Math.max(Math.min(durationMs, LONGEST_MS), leaseDurationMs) - unchangedMs;

/** Returns the term that a move starts or continues. */
export const termAfter = (record: LeaseRecord, move: LeaseMove): number =>
  move === 'take' ? (record.transitions + 1) % TERMS : record.transitions;
