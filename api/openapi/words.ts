/** Returns the word with a capital first letter. */
export const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Converts `rbac.authorization` to `rbacAuthorization`. */
export const camel = (group: string): string =>
  group
    .split('.')
    .map((part, at) => (at === 0 ? part : capital(part)))
    .join('');
