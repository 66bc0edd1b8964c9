/** Client certificate, and the CA of the server; PEM. */
export interface ClientTls {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export interface Place {
  readonly port: number;
  readonly tls: ClientTls;
}

/**
 * In path and body `{n}` becomes a number that the process of the load never gives twice, `{c}` the number of the
 * connection; both have a fixed width, so that all requests of a job are equally long.
 */
export interface Ask {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

/** Asks again and again, one request in flight on each stream, for some time. */
export interface RateJob {
  readonly kind: 'rate';
  readonly place: Place;
  readonly protocol: 'http/1.1' | 'h2';
  readonly connections: number;
  /** In flight on one connection; more than 1 over HTTP/2 alone. */
  readonly streams: number;
  readonly ask: Ask;
  readonly ms: number;
}

/** Opens watches, then makes changes one by one, each when the one before has reached all watchers. */
export interface WatchJob {
  readonly kind: 'watch';
  readonly place: Place;
  readonly watchers: number;
  readonly path: string;
  readonly change: Ask;
  /** Made first and not counted. */
  readonly warmUp: number;
  readonly changes: number;
}

export type Job = RateJob | WatchJob;

/** `value`: answers a second of a `rate`, the median of a `watch`'s changes in milliseconds. */
export type JobAnswer = { readonly value: number } | { readonly error: string };
