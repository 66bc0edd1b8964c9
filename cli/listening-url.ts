import { urlHost } from '../base/http/index.ts';

/** Loopback addresses at which a server that listens on all addresses is reached locally. */
const LOOPBACK: { readonly [any: string]: string } = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Returns the `https://host:port` of a listener's address. */
export const listeningUrl = ({ host, port }: { readonly host: string; readonly port: number }): string =>
  `https://${urlHost(LOOPBACK[host] ?? host)}:${port}`;
