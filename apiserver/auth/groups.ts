import type { UserInfo } from '../../api/kinds/index.ts';

/** Group of all users with a valid credential. */
export const AUTHENTICATED = 'system:authenticated';
/** Group of all requests without a credential. */
export const UNAUTHENTICATED = 'system:unauthenticated';
/** User name of requests without a credential. */
export const ANONYMOUS = 'system:anonymous';
/** Group whose members have every permission, whatever the authorizers decide. */
export const MASTERS = 'system:masters';

/**
 * Adds the group `system:authenticated` to a user. Returns the user unchanged if it is anonymous or already
 * in `system:authenticated` or `system:unauthenticated`.
 */
export function asAuthenticated(user: UserInfo): UserInfo {
  if (user.username === ANONYMOUS) return user;
  if (user.groups.includes(AUTHENTICATED) || user.groups.includes(UNAUTHENTICATED)) return user;
  return { ...user, groups: [...user.groups, AUTHENTICATED] };
}
