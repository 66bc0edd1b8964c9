export { type AssemblyOptions, assembleApiServer } from './api-server.ts';
export type { AuthenticatingProxy, AuthenticationSettings, TokenWebhookSettings } from './authentication.ts';
export type { AuthorizationSettings } from './authorization.ts';
