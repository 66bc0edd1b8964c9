import { leases } from '../../api/groups/coordination-v1.ts';
import type { Scheme } from '../../api/kinds/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import { ClientError } from '../client/client-error.ts';
import type { Transport } from '../client/transport.ts';
import { conditionHeaders } from '../client/write-condition.ts';

/** The term under which a write is made. */
export interface LeaseTerm {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly holder: string;
  /** `spec.leaseTransitions`; incremented with every new holder. */
  readonly transitions: number;
}

/** Returns headers that make a server refuse writes of an ended term. Other servers ignore them. */
export type TermPrecondition = (term: LeaseTerm) => Readonly<Record<string, string>>;

/**
 * Creates the precondition that the lease still has this holder and term. The server checks it atomically
 * with the write.
 */
export function leaseHeld(scheme: Scheme): TermPrecondition {
  let made: { readonly term: LeaseTerm; readonly headers: Readonly<Record<string, string>> } | undefined;
  return (term) => {
    if (made?.term !== term) made = { term, headers: conditionHeaders(scheme, [{ kind: leases, ...term }]) };
    return made.headers;
  };
}

/**
 * The right to write during one term.
 *
 * It ends by the clock alone, so a suspended process loses it before any of its code runs again. A wall clock
 * that advanced more than the monotonic clock means that the machine slept. Then nothing is written before
 * the next renewal either.
 */
export class LeaseFence {
  readonly #clock: Clock;
  #untilMs = -Infinity;
  #wallUntilMs = -Infinity;
  #term: LeaseTerm | undefined;
  #ended = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Extends the right to `ms` milliseconds after the renewal.
   * @param agoMs time since the renewal was sent, in milliseconds
   */
  extend(term: LeaseTerm, ms: number, agoMs: number): void {
    this.#term = term;
    this.#untilMs = this.#clock.monotonic() - agoMs + ms;
    this.#wallUntilMs = this.#clock.now() - agoMs + ms;
  }

  /** Ends the right permanently; each term has its own fence. */
  end(): void {
    this.#ended = true;
  }

  /** Returns the term. Throws a `ClientError` with `ERR_FENCED` if it may be over. */
  check(): LeaseTerm {
    const inTime = this.#clock.monotonic() < this.#untilMs && this.#clock.now() < this.#wallUntilMs;
    if (this.#term !== undefined && inTime && !this.#ended) return this.#term;
    throw new ClientError('ERR_FENCED', 'the write was not sent: the lease of this leader may be lost');
  }
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Wraps `transport` for one term: each attempt of each write checks the fence and has the precondition, in
 * addition to its own. Closing the result leaves `transport` open.
 */
export const fenceWrites = (
  transport: Transport,
  fence: LeaseFence,
  precondition: TermPrecondition,
): Transport => ({
  async send(request) {
    if (READS.has(request.method)) return transport.send(request);
    const headers: Record<string, string> = Object.assign({}, request.headers);
    for (const [name, value] of Object.entries(precondition(fence.check())))
      headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
    return transport.send({ ...request, headers });
  },
  close: async () => {},
});
