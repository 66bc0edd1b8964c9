export { parseCertificates } from './client-certificate.ts';
export { MASTERS } from './groups.ts';
export { type OidcSettings, checkOidcSettings, oidcSigningAlgorithms } from './oidc.ts';
export { type IdentityHeaders, standardIdentityHeaders } from './request-header.ts';
export { parseTokenFile } from './token-file.ts';
export { tokenWebhookVersions } from './token-webhook.ts';
