import { urlHost } from '../base/http/url-host.ts';

/** Where a server that listens on every address is reached from its own machine. */
const LOOPBACK: { readonly [any: string]: string } = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** `https://host:port` of a listener's address. */
export const listeningUrl = ({ host, port }: { readonly host: string; readonly port: number }): string =>
  `https://${urlHost(LOOPBACK[host] ?? host)}:${port}`;
