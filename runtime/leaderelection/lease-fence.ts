import { leases } from '../../api/groups/coordination-v1.ts';
import type { Scheme } from '../../api/kinds/scheme.ts';
import type { Clock } from '../../base/clock/clock.ts';
import { ClientError } from '../client/client-error.ts';
import type { Transport } from '../client/transport.ts';
import { conditionHeaders } from '../client/write-condition.ts';

/** Which leadership a write is made under. */
export interface LeaseTerm {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly holder: string;
  /** `spec.leaseTransitions`: one more with every new holder. */
  readonly transitions: number;
}

/** Headers that make a server refuse a write of a term that is over; servers that know nothing of them take no notice. */
export type TermPrecondition = (term: LeaseTerm) => Readonly<Record<string, string>>;

/** The lease is still the one that was taken, and its holder's: checked by a server in one moment with the write. */
export function leaseHeld(scheme: Scheme): TermPrecondition {
  let made: { readonly term: LeaseTerm; readonly headers: Readonly<Record<string, string>> } | undefined;
  return (term) => {
    if (made?.term !== term) made = { term, headers: conditionHeaders(scheme, [{ kind: leases, ...term }]) };
    return made.headers;
  };
}

/**
 * The right of one leader, in one term, to write. It ends by the clock alone, so that a process that stood still has lost
 * it before any of its code runs on. A wall clock that moved further than the monotonic one tells of a machine that
 * slept: then too nothing is written before the lease has been looked at again.
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

  /** The lease was held `agoMs` ago, for `ms` from then. */
  extend(term: LeaseTerm, ms: number, agoMs: number): void {
    this.#term = term;
    this.#untilMs = this.#clock.monotonic() - agoMs + ms;
    this.#wallUntilMs = this.#clock.now() - agoMs + ms;
  }

  /** For good: another term has a fence of its own. */
  end(): void {
    this.#ended = true;
  }

  /** The term. Throws a `ClientError` with ERR_FENCED when it may be over. */
  check(): LeaseTerm {
    const inTime = this.#clock.monotonic() < this.#untilMs && this.#clock.now() < this.#wallUntilMs;
    if (this.#term !== undefined && inTime && !this.#ended) return this.#term;
    throw new ClientError('ERR_FENCED', 'nothing is written: the lease of this leader may be lost');
  }
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * `transport`, for one term: every try of every write passes the fence first and bears the precondition, beside those
 * of its own. Closing it leaves `transport` open.
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
