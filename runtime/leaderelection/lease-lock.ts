import { writeJson } from '../../api/schema/index.ts';
import { leases } from '../../api/groups/coordination-v1.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../../api/status/index.ts';
import type { Lease } from '../../api/types/coordination-v1.ts';
import { type Clock, fromTime, toMicroTime } from '../../base/clock/index.ts';
import {
  type LeaseAnswer,
  type LeaseRecord,
  endsMs,
  moveOn,
  termAfter,
} from '../../machines/leaderelection/index.ts';
import type { Client } from '../client/client.ts';
import { type AdvertisedAddress, addressOf, withAddress } from './advertised-address.ts';
import type { LeaseTerm } from './lease-fence.ts';

/** Options of `createLeaseLock`. */
export interface LeaseLockOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly namespace: string;
  readonly name: string;
  /** Identity of this candidate, unique among all processes. */
  readonly identity: string;
  /** Lease duration written to the Lease, in milliseconds. */
  readonly leaseDurationMs: number;
  /** Address that the process writes to its leases. Default none. */
  readonly advertised?: AdvertisedAddress | undefined;
}

/** Result of one attempt. */
export interface LeaseTry extends LeaseAnswer {
  /** Lease and term after a successful attempt. */
  readonly lease?: DeepReadonly<Lease>;
  readonly term?: LeaseTerm;
}

/** Lock on a Lease object, by compare-and-set on its resourceVersion. */
export interface LeaseLock {
  /** Acquires or renews the lease if possible. Rejects if the server is unreachable. */
  try(signal: AbortSignal): Promise<LeaseTry>;
  /** Releases the lease if this candidate holds it. */
  release(signal: AbortSignal): Promise<void>;
  /** Returns the holder at the last read or write, or undefined if the lease had no holder. */
  holder(): LeaseHolder | undefined;
}

/** The holder of a lease. */
export interface LeaseHolder {
  readonly identity: string;
  /** `spec.leaseTransitions` of the Lease. */
  readonly transitions: number;
  /** `spec.acquireTime` of the Lease, in milliseconds since the epoch. */
  readonly sinceMs?: number;
  /** URL of the holder's dashboard, if the holder advertises one. */
  readonly address?: string;
}

/** Creates the lock. Sends no request before `try`. */
export function createLeaseLock(options: LeaseLockOptions): LeaseLock {
  const { client, clock, namespace, name, identity, leaseDurationMs, advertised } = options;
  const resource = client.namespaced(leases, namespace);
  let seen = { state: '', sinceMs: clock.monotonic() };
  let known: LeaseHolder | undefined;

  /** Returns the milliseconds since the last observed change of the lease. */
  const unchangedMs = (lease: DeepReadonly<Lease>): number => {
    const state = writeJson([lease.metadata?.uid, lease.spec]);
    if (seen.state !== state) seen = { state, sinceMs: clock.monotonic() };
    return clock.monotonic() - seen.sinceMs;
  };
  const read = async (signal: AbortSignal): Promise<DeepReadonly<Lease> | undefined> => {
    try {
      const lease = await resource.get(name, { signal });
      known = holderOf(lease, options);
      return lease;
    } catch (thrown) {
      if (!isNotFound(thrown)) throw thrown;
      known = undefined;
      return undefined;
    }
  };
  const termOf = (lease: DeepReadonly<Lease>): LeaseTerm => ({
    namespace,
    name,
    uid: lease.metadata?.uid ?? '',
    holder: identity,
    transitions: lease.spec?.leaseTransitions ?? 0,
  });
  const candidate = { identity, leaseDurationMs };
  const mine = () => ({
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(leaseDurationMs / 1000),
    renewTime: toMicroTime(clock.now()),
  });
  /** Returns the annotations with the address of this process; nothing if it advertises none. */
  const addressed = (annotations: Readonly<Record<string, string>>) =>
    advertised === undefined ? {} : { annotations: withAddress(annotations, identity, advertised) };
  const create = (signal: AbortSignal) => {
    const spec = { ...mine(), acquireTime: toMicroTime(clock.now()), leaseTransitions: 0 };
    return resource.create({ metadata: { name, namespace, ...addressed({}) }, spec }, { signal });
  };
  const update = (lease: DeepReadonly<Lease>, move: 'renew' | 'take', signal: AbortSignal) => {
    const spec = {
      ...lease.spec,
      ...mine(),
      ...(move === 'take' ? { acquireTime: toMicroTime(clock.now()) } : {}),
      leaseTransitions: termAfter(recordOf(lease), move),
    };
    const metadata = { ...lease.metadata, ...addressed(lease.metadata?.annotations ?? {}) };
    return resource.update({ ...lease, metadata, spec }, { signal });
  };
  /**
   * Converts the result of a write to the result of the attempt. A write that was rejected because another
   * candidate wrote first had no effect.
   */
  const settle = async (write: () => Promise<DeepReadonly<Lease>>): Promise<LeaseTry> => {
    const startMs = clock.monotonic();
    try {
      const lease = await write();
      known = holderOf(lease, options);
      return { held: true, tookMs: clock.monotonic() - startMs, lease, term: termOf(lease) };
    } catch (thrown) {
      if (isConflict(thrown) || isAlreadyExists(thrown) || isNotFound(thrown))
        return { held: false, tookMs: clock.monotonic() - startMs };
      throw thrown;
    }
  };
  return {
    async try(signal) {
      const lease = await read(signal);
      if (lease === undefined) return settle(() => create(signal));
      const record = recordOf(lease);
      const sinceMs = unchangedMs(lease);
      const move = moveOn(record, candidate, sinceMs);
      if (move === 'leave') return { held: false, tookMs: 0, endsMs: endsMs(record, candidate, sinceMs) };
      return settle(() => update(lease, move, signal));
    },
    async release(signal) {
      const lease = await read(signal);
      if (lease === undefined || recordOf(lease).holder !== identity) return;
      const now = toMicroTime(clock.now());
      const spec = { holderIdentity: '', leaseDurationSeconds: 1, renewTime: now, acquireTime: now };
      await resource.update({ ...lease, spec: { ...lease.spec, ...spec } }, { signal });
      known = undefined;
    },
    holder: () => known,
  };
}

function holderOf(
  lease: DeepReadonly<Lease>,
  { advertised, identity }: LeaseLockOptions,
): LeaseHolder | undefined {
  const { spec = {} } = lease;
  const address = advertised && addressOf(lease, advertised.annotation, identity);
  const sinceMs = fromTime(spec.acquireTime);
  if (!spec.holderIdentity) return undefined;
  return {
    identity: spec.holderIdentity,
    transitions: spec.leaseTransitions ?? 0,
    ...(sinceMs === undefined ? {} : { sinceMs }),
    ...(address === undefined ? {} : { address }),
  };
}

const recordOf = ({ spec }: DeepReadonly<Lease>): LeaseRecord => ({
  holder: spec?.holderIdentity ?? '',
  transitions: spec?.leaseTransitions ?? 0,
  durationMs: (spec?.leaseDurationSeconds ?? 0) * 1000,
});
