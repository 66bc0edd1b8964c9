/** What a Lease says of its leader. */
export interface LeaseRecord {
  /** Empty when nobody holds it. */
  readonly holder: string;
  /** How often the holder has changed: the term. */
  readonly transitions: number;
  readonly durationMs: number;
}

export interface Candidate {
  readonly identity: string;
  readonly leaseDurationMs: number;
}

/** What a candidate does with a lease: leave it to its holder, renew its own, or take it over. */
export type LeaseMove = 'leave' | 'renew' | 'take';

/**
 * `unchangedMs` is for how long this candidate has seen the record as it is, on its own monotonic clock: the times in the
 * record are another's clock and decide nothing.
 */
export function moveOn(record: LeaseRecord, candidate: Candidate, unchangedMs: number): LeaseMove {
  if (record.holder === candidate.identity) return 'renew';
  if (record.holder === '') return 'take';
  return endsMs(record, candidate, unchangedMs) <= 0 ? 'take' : 'leave';
}

/** A lease that claims to last longer, as one edited by hand may, is not believed, milliseconds. */
const LONGEST_MS = 5 * 60_000;
/** A term is a whole number of 32 bits with a sign. */
const TERMS = 2 ** 31;

/** When a lease that is left as it is may be taken, milliseconds from now. */
export const endsMs = (
  { durationMs }: LeaseRecord,
  { leaseDurationMs }: Candidate,
  unchangedMs: number,
): number => Math.max(Math.min(durationMs, LONGEST_MS), leaseDurationMs) - unchangedMs;

/** The term that a move begins or goes on with. */
export const termAfter = (record: LeaseRecord, move: LeaseMove): number =>
  move === 'take' ? (record.transitions + 1) % TERMS : record.transitions;
