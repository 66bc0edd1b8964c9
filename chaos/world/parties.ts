import type { RequestInfo } from '../../apiserver/request.ts';
import type { HttpPeer } from '../../base/http/index.ts';
import type { TransportRequest } from '../../runtime/index.ts';
import type { Process } from './timeline.ts';

/** Sender of a request: one process of a program. */
export interface Party {
  readonly process: Process;
  /** Name of the controller, or `user`. */
  readonly actor: string;
  readonly peer: HttpPeer;
  /** True if requests of the party are subject to faults. Delays apply in any case. */
  readonly faulty: boolean;
}

/** The request that the API server is processing. */
export interface Serving {
  readonly party: Party;
  readonly info: RequestInfo;
  readonly body?: TransportRequest['body'];
  /** Time of sending on the timeline. */
  readonly sentMs: number;
  /** True if the sender has crashed or cancelled the request since it was sent. */
  readonly abandoned: boolean;
}
