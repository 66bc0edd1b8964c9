import type { Impersonation } from './client-config.ts';

/**
 * Returns the headers that impersonate a user. Keys of `extra` are percent-encoded, because they may have any
 * characters.
 */
export const impersonationHeaders = ({
  user,
  uid,
  groups = [],
  extra = {},
}: Impersonation): Record<string, string | string[]> => ({
  'impersonate-user': user,
  ...(uid === undefined ? {} : { 'impersonate-uid': uid }),
  ...(groups.length === 0 ? {} : { 'impersonate-group': [...groups] }),
  ...Object.fromEntries(
    Object.entries(extra).map(([key, values]) => [
      `impersonate-extra-${encodeURIComponent(key).replace(/[!'()*]/g, percent)}`,
      [...values],
    ]),
  ),
});

const percent = (character: string): string =>
  `%${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}`;
