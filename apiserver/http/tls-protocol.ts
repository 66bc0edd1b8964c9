/** What connections to a listener are secured with, in the words of `node:tls`. */
export interface TlsProtocol {
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3';
  /** Default: what Node takes for good. */
  readonly ciphers?: string;
}

/** Go's names of the versions that are spoken; those before have been given up (RFC 8996). */
export const tlsVersions = ['VersionTLS12', 'VersionTLS13'] as const;

/** Of TLS 1.3, which always has all of them: there is nothing to choose. */
const ALWAYS = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

/** OpenSSL's names of the cipher suites of TLS 1.2 by those of the registry (IANA) and of Go. */
const SUITES: ReadonlyMap<string, string> = new Map([
  ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA', 'ECDHE-ECDSA-AES128-SHA'],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256', 'ECDHE-ECDSA-AES128-SHA256'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA', 'ECDHE-ECDSA-AES256-SHA'],
  ['TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA', 'ECDHE-RSA-AES128-SHA'],
  ['TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256', 'ECDHE-RSA-AES128-SHA256'],
  ['TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA', 'ECDHE-RSA-AES256-SHA'],
  ['TLS_RSA_WITH_AES_128_CBC_SHA', 'AES128-SHA'],
  ['TLS_RSA_WITH_AES_128_CBC_SHA256', 'AES128-SHA256'],
  ['TLS_RSA_WITH_AES_256_CBC_SHA', 'AES256-SHA'],
  ['TLS_RSA_WITH_AES_128_GCM_SHA256', 'AES128-GCM-SHA256'],
  ['TLS_RSA_WITH_AES_256_GCM_SHA384', 'AES256-GCM-SHA384'],
]);

/** Names that `tlsProtocol` takes. */
export const tlsCipherSuites: readonly string[] = [...ALWAYS, ...SUITES.keys()];

/** Of one of these HTTP/2 makes sure (RFC 9113, section 9.2.2). */
export const http2CipherSuites = [
  'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
] as const;

/** `suites` are names out of `tlsCipherSuites`, best first; none of them for the default. Those of TLS 1.3 are always there. */
export function tlsProtocol(version: (typeof tlsVersions)[number], suites: readonly string[]): TlsProtocol {
  const minVersion = version === 'VersionTLS13' ? 'TLSv1.3' : 'TLSv1.2';
  if (suites.length === 0) return { minVersion };
  const chosen = suites.flatMap((name) => SUITES.get(name) ?? []);
  return { minVersion, ciphers: [...ALWAYS, ...chosen].join(':') };
}
