import type { Authenticated, Authenticator } from '../request.ts';
import { ANONYMOUS, UNAUTHENTICATED } from './groups.ts';

const ANONYMOUS_USER: Authenticated = { user: { username: ANONYMOUS, groups: [UNAUTHENTICATED] } };

/**
 * Authenticator that treats every request as the anonymous user. It is last in the list, so only requests
 * without a credential reach it
 * (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#anonymous-requests).
 */
export const anonymous: Authenticator = {
  name: 'anonymous',
  authenticate: () => ANONYMOUS_USER,
};
