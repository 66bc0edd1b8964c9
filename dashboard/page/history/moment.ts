/** Returns the time of the moment in a fragment, such as `#/controllers/job?at=1767225600000`. */
export function momentOf(hash: string): number | undefined {
  const query = /\?(.*)$/.exec(hash)?.[1];
  const at = query === undefined ? null : new URLSearchParams(query).get('at');
  return at !== null && /^\d{1,16}$/.test(at) ? Number(at) : undefined;
}

/** Returns a fragment with the time of a moment, or without one. */
export const withMoment = (hash: string, atMs: number | undefined): string => {
  const bare = hash.replace(/\?.*$/, '');
  return atMs === undefined ? bare : `${bare === '' ? '#/' : bare}?at=${Math.floor(atMs)}`;
};
