import { type ComponentCheck, type ComponentHealth, healthProbe } from '../../apiserver/aggregation/index.ts';
import {
  type IdentityHeaders,
  parseCertificates,
  standardIdentityHeaders,
} from '../../apiserver/auth/index.ts';
import type { Storage } from '../../apiserver/storage/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import type { Outbound } from '../../base/http/index.ts';
import type { AssemblyOptions } from '../../apiserver/assembly/index.ts';
import { readParsed } from '../files/files.ts';
import type { apiServerCommandFlags } from '../flags/flag-tables.ts';
import { type FlagValues, UsageError, filePair } from '../flags/flags.ts';
import { type LiveFiles, readKeyPair } from '../files/live-files.ts';
import { FRONT_PROXY, type Provisioned } from '../files/provision.ts';

/** Returns the text if it contains at least one certificate. Throws otherwise. */
export function requireCertificates(text: string): string {
  if (parseCertificates(text).length === 0) throw new Error('no PEM block CERTIFICATE found');
  return text;
}

/**
 * Returns the certificate that this server presents to aggregated API servers, and the CA that it publishes
 * for the verification. Both are read again when their files change.
 */
export async function proxyIdentity(
  flags: FlagValues<typeof apiServerCommandFlags>,
  { frontProxy, frontProxyCa }: Provisioned,
  live: LiveFiles,
): Promise<Pick<AssemblyOptions, 'proxyCredential' | 'requestHeader'>> {
  const files = filePair(flags, 'proxy-client-cert-file', 'proxy-client-key-file');
  const caFile = flags['requestheader-client-ca-file'];
  if (files !== undefined && caFile === '')
    throw new UsageError('--proxy-client-cert-file needs --requestheader-client-ca-file');
  const given =
    caFile === ''
      ? (): string => ''
      : await live.follow('published authorities of proxies', () =>
          readParsed(caFile, 'PEM certificates', requireCertificates),
        );
  const allowed = flags['requestheader-allowed-names'];
  const headers = publishedHeaders(flags);
  if (files === undefined)
    return {
      proxyCredential: () => frontProxy,
      requestHeader: () => ({
        caPem: given() + frontProxyCa.certificatePem,
        // An empty list permits every name.
        allowedNames: caFile !== '' && allowed.length === 0 ? [] : [...new Set([...allowed, FRONT_PROXY])],
        headers,
      }),
    };
  return {
    proxyCredential: await live.follow('proxy client certificate', () => readKeyPair(...files)),
    requestHeader: () => ({ caPem: given(), allowedNames: allowed, headers }),
  };
}

/** Returns the header names in the flags and the standard names with which the server forwards a request. */
function publishedHeaders(flags: FlagValues<typeof apiServerCommandFlags>): IdentityHeaders {
  const { username, group, extraPrefix } = standardIdentityHeaders;
  const joined = (given: readonly string[], own: readonly string[]): readonly string[] => [
    ...given,
    ...own.filter((name) => !given.some((each) => each.toLowerCase() === name.toLowerCase())),
  ];
  return {
    username: joined(flags['requestheader-username-headers'], username),
    group: joined(flags['requestheader-group-headers'], group),
    extraPrefix: joined(flags['requestheader-extra-headers-prefix'], extraPrefix),
  };
}

/** Default addresses of components on the same machine as their API server. */
const CONTROLLER_MANAGER = 'https://127.0.0.1:10257';
const SCHEDULER = 'https://127.0.0.1:10259';

/**
 * Returns the components for `componentstatuses`. The store is named etcd, as in Kubernetes, whatever its
 * type.
 * @param controllerManager check of a controller manager in the same process, if there is one
 */
export function clusterComponents(
  storage: Storage,
  outbound: Outbound,
  controllerManager: ComponentCheck['check'] | undefined,
): readonly ComponentCheck[] {
  const store = async (): Promise<ComponentHealth> => {
    try {
      await storage.revision();
      return { healthy: true, message: 'ok' };
    } catch (thrown) {
      return { healthy: false, message: messageOf(thrown) };
    }
  };
  const manager = controllerManager ?? healthProbe(outbound, CONTROLLER_MANAGER);
  return [
    { name: 'controller-manager', check: manager },
    { name: 'etcd-0', check: store },
    { name: 'scheduler', check: healthProbe(outbound, SCHEDULER) },
  ];
}
