import type { CredentialSource } from './credentials.ts';

/** How a server is reached and who asks: what a client configuration comes down to. */
export interface ClientConfig {
  /** Base address: `https://127.0.0.1:6443`, with a path where the API lies below one. */
  readonly server: string;
  readonly tls: TlsConfig;
  /** Address of an HTTP proxy. */
  readonly proxyUrl?: string;
  readonly credentials: CredentialSource;
  /** Namespace of the context; 'default' where it names none. */
  readonly namespace: string;
}

export interface TlsConfig {
  /** PEM of the authorities that are trusted. Default: those of the system. */
  readonly ca?: string;
  /** Name the server's certificate must have, where it is not the address. */
  readonly serverName?: string;
  /** Accept any certificate. */
  readonly insecure?: boolean;
}
