export { parseAbacPolicies } from './abac-policy.ts';
export { AUTHORIZATION_MODES, knownModes, modeFaults } from './modes.ts';
export { createNodeGraph } from './node-graph.ts';
export { createNodeAuthorizer } from './node.ts';
export { createRbacAuthorizer } from './rbac.ts';
export { webhookVersions } from './webhook.ts';
