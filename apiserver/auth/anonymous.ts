import type { Authenticated, Authenticator } from '../request.ts';
import { ANONYMOUS, UNAUTHENTICATED } from './groups.ts';

const NOBODY: Authenticated = { user: { username: ANONYMOUS, groups: [UNAUTHENTICATED] } };

/** Last in the list: whoever shows no credential is nobody (specification 1, section 5.7). */
export const anonymous: Authenticator = {
  name: 'anonymous',
  authenticate: () => NOBODY,
};
