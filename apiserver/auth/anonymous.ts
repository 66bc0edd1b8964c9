import type { Authenticator } from '../request.ts';
import { ANONYMOUS, UNAUTHENTICATED } from './groups.ts';

/** Last in the list: whoever shows no credential is nobody (specification 1, section 5.7). */
export const anonymous: Authenticator = {
  name: 'anonymous',
  authenticate: () => Promise.resolve({ user: { username: ANONYMOUS, groups: [UNAUTHENTICATED] } }),
};
