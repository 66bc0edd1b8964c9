import { stringify } from 'yaml';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { writePrivate } from './files.ts';
import type { Credential, Provisioned } from './provision.ts';

/** Writes the client configurations. Called at each start, because the port may have changed. */
export async function writeClientConfigs(
  provisioned: Provisioned,
  serverUrl: string,
  vocabulary: Vocabulary,
): Promise<void> {
  const { ca, admin, controllerManager, paths } = provisioned;
  const config = (user: string, credentials: Credential): string =>
    clientConfig({
      cluster: vocabulary.product,
      user,
      server: serverUrl,
      ca: ca.certificatePem,
      credentials,
    });
  await writePrivate(paths.adminConfig, config(`${vocabulary.product}-admin`, admin));
  await writePrivate(
    paths.controllerManagerConfig,
    config(vocabulary.component('controller-manager'), controllerManager),
  );
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/**
 * Returns the content of a client configuration with one context.
 * @param options.credentials a certificate, a bearer token, or undefined for no credentials
 */
export function clientConfig(options: {
  readonly cluster: string;
  readonly user: string;
  readonly server: string;
  /** CA certificates in PEM; undefined to use the root certificates of the system. */
  readonly ca: string | undefined;
  readonly credentials: Credential | { readonly token: string } | undefined;
}): string {
  const { cluster, user, server, ca, credentials } = options;
  const context = `${user}@${cluster}`;
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: cluster,
        cluster: { ...(ca !== undefined && { 'certificate-authority-data': base64(ca) }), server },
      },
    ],
    contexts: [{ name: context, context: { cluster, user } }],
    'current-context': context,
    preferences: {},
    users: [{ name: user, user: credentials === undefined ? {} : userFields(credentials) }],
  });
}

const userFields = (credentials: Credential | { readonly token: string }): Record<string, string> =>
  'token' in credentials
    ? { token: credentials.token }
    : {
        'client-certificate-data': base64(credentials.certificate),
        'client-key-data': base64(credentials.key),
      };
