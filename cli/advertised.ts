import { isReachable } from '../apiserver/bootstrap/api-endpoints.ts';
import { UsageError } from './flags.ts';

interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Where members of the cluster reach the server: at `advertised`, or where it listens if that is an address others reach.
 * Throws `UsageError` for an address that is none of those.
 */
export function advertisedAddress(advertised: string, listening: () => Address): () => Address | undefined {
  if (advertised !== '' && !isReachable(advertised))
    throw new UsageError(
      `--advertise-address must be an address that other machines reach, received ${JSON.stringify(advertised)}`,
    );
  return () => {
    const { host, port } = listening();
    const reached = advertised === '' ? host : advertised;
    return isReachable(reached) ? { host: reached, port } : undefined;
  };
}
