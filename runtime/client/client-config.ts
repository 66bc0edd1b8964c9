import type { CredentialSource } from './credentials.ts';

/** Address and credentials of a server: the result of loading a client configuration. */
export interface ClientConfig {
  /** Base URL such as `https://127.0.0.1:6443`, with a path if the API is served below a path. */
  readonly server: string;
  readonly tls: TlsConfig;
  /** URL of an HTTP proxy. */
  readonly proxyUrl?: string;
  readonly credentials: CredentialSource;
  /** Identity to impersonate in every request; the credentials need the permission to impersonate. */
  readonly impersonate?: Impersonation;
  /** Namespace of the context, or `default` if the context has no namespace. */
  readonly namespace: string;
}

/**
 * Identity to impersonate; see
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation.
 */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: { readonly [key: string]: readonly string[] };
}

/** Verification of the server's certificate. */
export interface TlsConfig {
  /** Trusted certificate authorities in PEM. Default: the authorities of the system. */
  readonly ca?: string;
  /** Expected name in the server's certificate. Default: the host in the server's URL. */
  readonly serverName?: string;
  /** True to accept any certificate. Default false. */
  readonly insecure?: boolean;
}
