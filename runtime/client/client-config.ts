import type { CredentialSource } from './credentials.ts';

/** How a server is reached and who asks: what a client configuration comes down to. */
export interface ClientConfig {
  /** Base address: `https://127.0.0.1:6443`, with a path where the API lies below one. */
  readonly server: string;
  readonly tls: TlsConfig;
  /** Address of an HTTP proxy. */
  readonly proxyUrl?: string;
  readonly credentials: CredentialSource;
  /** In whose name requests are made, which the one who asks must be allowed to. */
  readonly impersonate?: Impersonation;
  /** Namespace of the context; 'default' where it names none. */
  readonly namespace: string;
}

/** Specification 1, section 5.8. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: { readonly [key: string]: readonly string[] };
}

export interface TlsConfig {
  /** PEM of the authorities that are trusted. Default: those of the system. */
  readonly ca?: string;
  /** Name the server's certificate must have, where it is not the address. */
  readonly serverName?: string;
  /** Accept any certificate. */
  readonly insecure?: boolean;
}
