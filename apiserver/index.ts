export { createApiServer } from './server.ts';
export type { ApiServer, ApiServerOptions, FromRegistry } from './server.ts';
export { createListener, ListenerError } from './http/listener/listener.ts';
export type { Listener, ListenerErrorCode, ListenerOptions, ListenerTls } from './http/listener/listener.ts';
export { createInMemoryCaller } from './http/in-memory.ts';
export type { InMemoryCaller, InMemoryRequest, InMemoryResponse } from './http/in-memory.ts';
export type { Next, Stage } from './http/pipeline.ts';
export type { Mount } from './http/stages/mounts.ts';
export type { VirtualHandler } from './http/virtual/virtual.ts';
export type { HealthCheck } from './discovery/health.ts';
export { createMemoryStorage } from './storage/memory.ts';
export { stampResourceVersion } from './storage/stamp.ts';
export { StorageConflict, StorageError } from './storage/storage.ts';
export type { Storage } from './storage/storage.ts';
export type { Registry } from './registry/registry.ts';
export type {
  AdmissionPlugin,
  AdmissionRequest,
  Attributes,
  Authenticated,
  Authenticator,
  Authorizer,
  Decision,
  RequestContext,
  RequestInfo,
  TokenAuthenticator,
} from './request.ts';
