import type { ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { Cohort } from '../../../base/async/index.ts';
import type { Clock } from '../../../base/clock/index.ts';
import type { Linked } from '../../../base/collections/index.ts';
import type { HttpHandler } from '../../../base/http/index.ts';

/** One request and its response. */
export interface Exchange extends Linked<Exchange> {
  /** Passes the request to the handler. */
  run(): void;
  /** Ends the response if it is a stream. Other responses complete. */
  endStream(): void;
  /** True if the exchange uses the given connection. */
  isOver(connection: Socket | ServerHttp2Session): boolean;
}

/** Properties that all exchanges of a listener share. */
export interface ExchangeHost {
  readonly handler: HttpHandler;
  readonly clock: Clock;
  /** Milliseconds that a peer has to read the end of a stream. */
  readonly unreadMs: number;
  /** True once the server is stopping. HTTP/1.1 responses then have the header `connection: close`. */
  readonly stopping: boolean;
  /** Runs the exchanges that were opened in the same turn of the event loop. */
  readonly cohort: Cohort<Exchange>;
  opened(exchange: Exchange): void;
  /** Called when the response is sent or the peer has disconnected. */
  done(exchange: Exchange): void;
  /** Reports an exception that the handler should have handled. */
  defect(thrown: unknown): void;
}
