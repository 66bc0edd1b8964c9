/** Returns a host in URL form: IPv6 addresses in brackets (RFC 3986, section 3.2.2). */
export const urlHost = (host: string): string => (host.includes(':') ? `[${host}]` : host);
