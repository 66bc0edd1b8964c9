export {
  type Claims,
  type ObjectIdentity,
  readBoundClaims,
  readLegacyClaims,
  serviceAccountGroups,
  serviceAccountUsername,
  splitServiceAccountUsername,
} from './claims.ts';
export { type TokenIssuer, createTokenIssuer } from './issuer.ts';
export { algorithmOf, keyIdOf } from './keys.ts';
