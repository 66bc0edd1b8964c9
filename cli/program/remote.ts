import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Remote } from '../../apiserver/outbound/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import { loadKubeconfig } from '../../runtime/client/index.ts';
import { readRequired } from '../files/files.ts';
import { UsageError } from '../flags/flags.ts';
import { outboundPeer } from './outbound-peer.ts';

/**
 * Reads the address and the credential of a review service from a client configuration: `clusters` contains
 * the address, `users` the credential of this server. Plain http is accepted for services on the same
 * machine, as in release 1.24. Throws for an invalid file and for any other address.
 */
export async function readRemote(
  path: string,
  { vocabulary, clock }: { readonly vocabulary: Vocabulary; readonly clock: Clock },
): Promise<Remote> {
  const config = await loadKubeconfig(await readRequired(path), {
    path,
    readFile: readRequired,
    vocabulary,
    clock,
    environment: process.env,
  });
  const url = URL.canParse(config.server) ? new URL(config.server) : undefined;
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!url || !isHttp || url.username !== '' || url.password !== '')
    throw new UsageError(`${path}: server must be an address with https or http and without a user`);
  return {
    peer: outboundPeer(url.origin, config.tls),
    path: `${url.pathname}${url.search}`,
    credentials: () => config.credentials.get(),
  };
}
