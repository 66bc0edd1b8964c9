/** TLS settings of a listener, with the names of `node:tls`. */
export interface TlsProtocol {
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3';
  /** OpenSSL cipher list. Default: Node's. */
  readonly ciphers?: string;
}

/**
 * Go's names of the supported TLS versions. Earlier versions are deprecated (https://www.rfc-editor.org/rfc/rfc8996).
 */
export const tlsVersions = ['VersionTLS12', 'VersionTLS13'] as const;

/** Cipher suites of TLS 1.3, which are always enabled: Go does not let users choose among them. */
const ALWAYS = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

/** OpenSSL's names of the TLS 1.2 cipher suites, by their IANA and Go names. */
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

/** Cipher suite names that `tlsProtocol` accepts. */
export const tlsCipherSuites: readonly string[] = [...ALWAYS, ...SUITES.keys()];

/**
 * Cipher suites of which HTTP/2 requires at least one (https://www.rfc-editor.org/rfc/rfc9113#section-9.2.2).
 */
export const http2CipherSuites = [
  'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
] as const;

/**
 * Returns the TLS settings for a minimum version and cipher suites. `suites` contains names of
 * `tlsCipherSuites` in order of preference; an empty list selects Node's default. TLS 1.3 suites are always
 * enabled.
 */
export function tlsProtocol(version: (typeof tlsVersions)[number], suites: readonly string[]): TlsProtocol {
  const minVersion = version === 'VersionTLS13' ? 'TLSv1.3' : 'TLSv1.2';
  if (suites.length === 0) return { minVersion };
  const chosen = suites.flatMap((name) => SUITES.get(name) ?? []);
  return { minVersion, ciphers: [...ALWAYS, ...chosen].join(':') };
}
