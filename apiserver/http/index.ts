export { BODY_LIMIT } from './request/bodies.ts';
export { createInMemoryCaller } from './in-memory.ts';
export {
  type Listener,
  type ListenerOptions,
  type ListenerTls,
  createListener,
} from './listener/listener.ts';
export type { Stage } from './pipeline.ts';
export { parseRequestInfo } from './request/request-info.ts';
export {
  type TlsProtocol,
  http2CipherSuites,
  tlsCipherSuites,
  tlsProtocol,
  tlsVersions,
} from './listener/tls-protocol.ts';
