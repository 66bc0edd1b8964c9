import type { UserInfo } from '../../api/kinds/index.ts';

/** Group of every user with a valid credential. */
export const AUTHENTICATED = 'system:authenticated';
/** Group of requests without a credential. */
export const UNAUTHENTICATED = 'system:unauthenticated';
/** User of requests without a credential. */
export const ANONYMOUS = 'system:anonymous';
/** Group whose members may do anything, whatever the authorizers decide. */
export const MASTERS = 'system:masters';

/**
 * Adds the group of authenticated users, unless the user is anonymous or already in one of the two groups.
 */
export function asAuthenticated(user: UserInfo): UserInfo {
  if (user.username === ANONYMOUS) return user;
  if (user.groups.includes(AUTHENTICATED) || user.groups.includes(UNAUTHENTICATED)) return user;
  return { ...user, groups: [...user.groups, AUTHENTICATED] };
}
