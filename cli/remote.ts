import type { Vocabulary } from '../api/vocabulary/vocabulary.ts';
import type { Remote } from '../apiserver/outbound/remote-review.ts';
import type { Clock } from '../base/clock/clock.ts';
import { loadKubeconfig } from '../runtime/client/kubeconfig.ts';
import { readRequired } from './files.ts';
import { UsageError } from './flags.ts';

/**
 * Reads a service that is asked for reviews from a client configuration file: `clusters` says where it is, `users` what
 * it knows the server by. Throws for a file that is none and for an address without https.
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
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '')
    throw new UsageError(`${path}: server must be an address with https and without a user`);
  const { ca, serverName, insecure } = config.tls;
  return {
    peer: {
      origin: url.origin,
      ...(ca !== undefined && { ca }),
      ...(serverName !== undefined && { serverName }),
      ...(insecure === true && { insecureSkipVerify: true }),
    },
    path: `${url.pathname}${url.search}`,
    credentials: () => config.credentials.get(),
  };
}
