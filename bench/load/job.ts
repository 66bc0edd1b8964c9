/** Client certificate, its key, and the CA of the server, in PEM. */
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
 * Request template. In path and body `{n}` becomes a number unique in the load process and `{c}` the number
 * of the connection. Both have a fixed width, so that all requests of a job have the same length.
 */
export interface Ask {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

/** Job that sends requests for a fixed time, one in flight on each stream. */
export interface RateJob {
  readonly kind: 'rate';
  readonly place: Place;
  readonly protocol: 'http/1.1' | 'h2';
  readonly connections: number;
  /** Requests in flight on one connection; more than 1 only over HTTP/2. */
  readonly streams: number;
  readonly ask: Ask;
  readonly ms: number;
}

/**
 * Job that opens watches and makes changes one by one; each change starts when the previous one has reached
 * all watchers.
 */
export interface WatchJob {
  readonly kind: 'watch';
  readonly place: Place;
  readonly watchers: number;
  readonly path: string;
  readonly change: Ask;
  /** Number of first changes that are not counted. */
  readonly warmUp: number;
  readonly changes: number;
}

export type Job = RateJob | WatchJob;

/** Result of a job. `value`: responses per second for `rate`, median milliseconds of a change for `watch`. */
export type JobAnswer = { readonly value: number } | { readonly error: string };
