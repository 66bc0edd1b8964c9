import { isIP } from 'node:net';
import type { HttpHeaders } from '../../base/http/index.ts';

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Returns an IP address in canonical form. Returns undefined if the text is not an IP address. */
function addressOf(text: string): string | undefined {
  const trimmed = text.trim();
  const plain = MAPPED_IPV4.exec(trimmed)?.[1] ?? trimmed;
  switch (isIP(plain)) {
    case 4:
      return plain;
    case 6:
      return URL.canParse(`http://[${plain}]`)
        ? new URL(`http://[${plain}]`).hostname.slice(1, -1)
        : undefined;
    default:
      return undefined;
  }
}

/**
 * Returns the source addresses of a request in upstream's order. The addresses from proxy headers
 * (`X-Forwarded-For`, `X-Real-Ip`), which a client can forge, precede the peer's address, which a client
 * cannot forge.
 */
export function sourceAddresses(headers: HttpHeaders, peer: string): readonly string[] {
  const found: string[] = [];
  for (const part of (headers['x-forwarded-for']?.[0] ?? '').split(',')) {
    const address = addressOf(part);
    if (address !== undefined) found.push(address);
  }
  const real = addressOf(headers['x-real-ip']?.[0] ?? '');
  if (real !== undefined && !found.includes(real)) found.push(real);
  const remote = addressOf(peer);
  if (remote !== undefined && found.at(-1) !== remote) found.push(remote);
  return found;
}
