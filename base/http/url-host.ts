/**
 * Returns a host as it is written in a URL, with brackets around an IPv6 address (RFC 3986, section 3.2.2).
 */
export const urlHost = (host: string): string => (host.includes(':') ? `[${host}]` : host);
