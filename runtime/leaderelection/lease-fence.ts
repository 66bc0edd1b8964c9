import { leases } from '../../api/groups/coordination-v1.ts';
import type { Scheme } from '../../api/kinds/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import { ClientError } from '../client/client-error.ts';
import type { Transport } from '../client/transport.ts';
import { conditionHeaders } from '../client/write-condition.ts';

/** Term of a leader, under which it writes. */
export interface LeaseTerm {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly holder: string;
  /** `spec.leaseTransitions` of the Lease, incremented with every new holder. */
  readonly transitions: number;
}

/**
 * Function that returns headers with which a server rejects writes of an ended term. Servers without support
 * ignore them.
 */
export type TermPrecondition = (term: LeaseTerm) => Readonly<Record<string, string>>;

/**
 * Returns the precondition that the Lease still has the holder and the transitions of the term. The server
 * checks it atomically with the write.
 */
export function leaseHeld(scheme: Scheme): TermPrecondition {
  let cached: { readonly term: LeaseTerm; readonly headers: Readonly<Record<string, string>> } | undefined;
  return (term) => {
    if (cached?.term !== term)
      cached = { term, headers: conditionHeaders(scheme, [{ kind: leases, ...term }]) };
    return cached.headers;
  };
}

/**
 * Right to write during one term.
 *
 * The right ends by the clock alone, so a suspended process loses it before any of its code runs again. If
 * the wall clock has advanced more than the monotonic clock, the machine slept. Then no write is sent before
 * the next renewal.
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
   * Extends the right to `ms` milliseconds after the renewal was sent.
   * @param agoMs time since the renewal was sent, in milliseconds
   */
  extend(term: LeaseTerm, ms: number, agoMs: number): void {
    this.#term = term;
    this.#untilMs = this.#clock.monotonic() - agoMs + ms;
    this.#wallUntilMs = this.#clock.now() - agoMs + ms;
  }

  /** Ends the right permanently. Each term has a new fence. */
  end(): void {
    this.#ended = true;
  }

  /** Returns the term. Throws a `ClientError` with `ERR_FENCED` if the term may have ended. */
  check(): LeaseTerm {
    const inTime = this.#clock.monotonic() < this.#untilMs && this.#clock.now() < this.#wallUntilMs;
    if (this.#term !== undefined && inTime && !this.#ended) return this.#term;
    throw new ClientError('ERR_FENCED', 'the write was not sent: the lease of this leader may be lost');
  }
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Wraps `transport` for one term. Before each attempt of a write, checks the fence. Adds the precondition of
 * the term to the preconditions of the write. Closing the result leaves `transport` open.
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
