import type { UserInfo } from '../../api/kinds/index.ts';

/** Everyone who showed a good credential. */
export const AUTHENTICATED = 'system:authenticated';
/** Everyone who showed none. */
export const UNAUTHENTICATED = 'system:unauthenticated';
export const ANONYMOUS = 'system:anonymous';
/** Members may do anything, whatever the authorizers say. */
export const MASTERS = 'system:masters';

/** The user, in the group of all authenticated users once. */
export function asAuthenticated(user: UserInfo): UserInfo {
  if (user.username === ANONYMOUS) return user;
  if (user.groups.includes(AUTHENTICATED) || user.groups.includes(UNAUTHENTICATED)) return user;
  return { ...user, groups: [...user.groups, AUTHENTICATED] };
}
