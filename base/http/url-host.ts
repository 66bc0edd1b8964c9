/** A host as it stands in a URL: addresses of IPv6 in brackets (RFC 3986, section 3.2.2). */
export const urlHost = (host: string): string => (host.includes(':') ? `[${host}]` : host);
