export { BODY_LIMIT } from './bodies.ts';
export { createInMemoryCaller } from './in-memory.ts';
export { type Listener, type ListenerOptions, type ListenerTls, createListener } from './listener.ts';
export type { Stage } from './pipeline.ts';
export { parseRequestInfo } from './request-info.ts';
export {
  type TlsProtocol,
  http2CipherSuites,
  tlsCipherSuites,
  tlsProtocol,
  tlsVersions,
} from './tls-protocol.ts';
export { toYaml } from './yaml.ts';
