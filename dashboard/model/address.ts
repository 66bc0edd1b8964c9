/** Returns a parameter of a fragment such as `#/controllers/job?namespace=team`; undefined if it is missing. */
export function parameterOf(hash: string, name: string): string | undefined {
  const query = /\?(.*)$/.exec(hash)?.[1];
  return query === undefined ? undefined : (new URLSearchParams(query).get(name) ?? undefined);
}

/** Returns a fragment with a parameter, or without it if the value is undefined. Keeps the other parameters. */
export function withParameter(hash: string, name: string, value: string | undefined): string {
  const [bare = '', query] = hash.split('?');
  const parameters = new URLSearchParams(query);
  if (value === undefined) parameters.delete(name);
  else parameters.set(name, value);
  return parameters.size === 0 ? bare : `${bare === '' ? '#/' : bare}?${parameters}`;
}
