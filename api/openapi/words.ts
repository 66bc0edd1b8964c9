/** Returns the word with its first letter in upper case. */
export const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Returns the name of a group in camel case: `rbac.authorization` becomes `rbacAuthorization`. */
export const camel = (group: string): string =>
  group
    .split('.')
    .map((part, at) => (at === 0 ? part : capital(part)))
    .join('');
