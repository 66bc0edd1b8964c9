import { BlockList, isIP } from 'node:net';

/**
 * Returns the proxy URL for a server from `HTTPS_PROXY` or `HTTP_PROXY`, or from their lower-case forms, by
 * the rules of Go's `http.ProxyFromEnvironment`.
 *
 * Returns undefined for localhost and for servers that match an entry of `NO_PROXY`. An entry is a domain
 * with its subdomains, `.domain` for subdomains only, an IP address, a CIDR range or `*`. A domain or address
 * may have a port. See https://pkg.go.dev/golang.org/x/net/http/httpproxy#Config.
 */
export function proxyFromEnvironment(
  server: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (!URL.canParse(server)) return undefined;
  const url = new URL(server);
  const variable = (name: string): string | undefined => environment[name] || environment[name.toLowerCase()];
  const proxy = variable(url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  if (proxy === undefined || isSpared(url, variable('NO_PROXY') ?? '')) return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

const portOf = ({ protocol, port }: URL): string => port || (protocol === 'https:' ? '443' : '80');

function isSpared(url: URL, list: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (host === 'localhost' || isIn(host, '127.0.0.0', 8) || isIn(host, '::1', 128)) return true;
  return list
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => entry !== '' && spares(entry, host, portOf(url)));
}

function spares(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const [, range = '', bits = ''] = /^([\d.:a-f]+)\/(\d+)$/.exec(entry) ?? [];
  if (isIP(range) !== 0) return isIn(host, range, Number(bits));
  const [, name = '', wanted = port] =
    /^\[?(.*?)\]?(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? [];
  if (wanted !== port) return false;
  if (isIP(name) !== 0) return name === host;
  const below = name.replace(/^\*?\.?/, '.');
  return host.endsWith(below) || (!/^\*?\./.test(name) && host === name);
}

function isIn(host: string, range: string, bits: number): boolean {
  const family = isIP(host);
  if (family === 0 || family !== isIP(range) || bits > (family === 4 ? 32 : 128)) return false;
  const addresses = new BlockList();
  const kind = family === 4 ? 'ipv4' : 'ipv6';
  addresses.addSubnet(range, bits, kind);
  return addresses.check(host, kind);
}
