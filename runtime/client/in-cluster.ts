import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import type { ClientConfig } from './client-config.ts';
import { ClientError } from './client-error.ts';
import { tokenFileCredentials } from './credentials.ts';
import { proxyFromEnvironment } from './environment-proxy.ts';
import { urlHost } from '../../base/http/index.ts';

/** Options of `loadInClusterConfig`. */
export interface InClusterOptions {
  readonly vocabulary: Vocabulary;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly readFile: (path: string) => Promise<string>;
  readonly clock: Clock;
}

/**
 * Loads the client configuration of a pod: the address from the environment, the token and the CA from the
 * mounted directory. Throws `ERR_CONFIG` outside a pod. See
 * https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/.
 */
export async function loadInClusterConfig(options: InClusterOptions): Promise<ClientConfig> {
  const { vocabulary, environment, readFile, clock } = options;
  const { serviceHostVariable, servicePortVariable, tokenMountPath } = vocabulary;
  const host = environment[serviceHostVariable];
  const port = environment[servicePortVariable];
  if (!host || !port)
    throw new ClientError(
      'ERR_CONFIG',
      `not in a cluster: expected the variables ${serviceHostVariable} and ${servicePortVariable}`,
    );
  const path = `${tokenMountPath}/ca.crt`;
  const ca = await readFile(path).catch((cause: unknown) => {
    throw new ClientError('ERR_CONFIG', `failed to read ${path}: ${messageOf(cause)}`, { cause });
  });
  const namespace = await readFile(`${tokenMountPath}/namespace`).catch(() => '');
  const server = `https://${urlHost(host)}:${port}`;
  const proxyUrl = proxyFromEnvironment(server, environment);
  return {
    server,
    tls: { ca },
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    credentials: tokenFileCredentials({ path: `${tokenMountPath}/token`, readFile, clock }),
    namespace: namespace.trim() || 'default',
  };
}
