import { urlHost } from '../../base/http/index.ts';

/** Loopback addresses at which local clients reach a server that listens on all addresses. */
const LOOPBACK: { readonly [any: string]: string } = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Returns the URL `https://host:port` of a listener. */
export const listeningUrl = ({ host, port }: { readonly host: string; readonly port: number }): string =>
  `https://${urlHost(LOOPBACK[host] ?? host)}:${port}`;
