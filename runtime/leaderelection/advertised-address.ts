import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { Lease } from '../../api/types/coordination-v1.ts';

/** Address of a process's dashboard, which the process writes to the leases that it holds. */
export interface AdvertisedAddress {
  /** Key of the annotation on the Lease. */
  readonly annotation: string;
  /** URL of the dashboard; '' if the process has none that others can reach. */
  readonly address: string;
}

type Annotations = Readonly<Record<string, string>>;

/**
 * Returns the annotations of a lease for its new holder. The value names the holder, because a process of an
 * earlier release takes over a lease without changing its annotations.
 */
export function withAddress(
  annotations: Annotations,
  identity: string,
  { annotation, address }: AdvertisedAddress,
): Annotations {
  const { [annotation]: _, ...others } = annotations;
  return address === '' ? others : { ...others, [annotation]: `${identity} ${address}` };
}

/** Returns the host in an identity such as `host-1_1b2c3d4e`. */
const hostIn = (identity: string): string => identity.slice(0, Math.max(0, identity.lastIndexOf('_')));

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Returns the address of the holder of a lease; undefined if the holder advertises none. An address of the
 * loopback interface is that of another process on the host of `identity`, or useless. Only HTTP addresses are
 * returned, because pages link to them, and everybody who may write leases may write the annotation.
 */
export function addressOf(
  lease: DeepReadonly<Lease>,
  annotation: string,
  identity: string,
): string | undefined {
  const value = lease.metadata?.annotations?.[annotation] ?? '';
  const space = value.lastIndexOf(' ');
  const address = value.slice(space + 1);
  const holder = value.slice(0, Math.max(0, space));
  if (holder === '' || holder !== lease.spec?.holderIdentity || !URL.canParse(address)) return undefined;
  const { protocol, hostname } = new URL(address);
  if (LOOPBACK.test(hostname) && hostIn(holder) !== hostIn(identity)) return undefined;
  return /^https?:$/.test(protocol) ? address : undefined;
}
