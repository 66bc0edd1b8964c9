export { createApiEndpoints, isReachable } from './api-endpoints.ts';
export { createApiServers } from './api-servers.ts';
export { createBootstrapWriter } from './bootstrap-writer.ts';
export { nodeRules } from './component-roles.ts';
export { ensureAuthorities } from './root-objects.ts';
