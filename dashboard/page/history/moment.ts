import { parameterOf, withParameter } from '../../model/address.ts';

const PARAMETER = 'at';

/** Returns the time of the moment in a fragment, such as `#/controllers/job?at=1767225600000`. */
export function momentOf(hash: string): number | undefined {
  const at = parameterOf(hash, PARAMETER);
  return at !== undefined && /^\d{1,16}$/.test(at) ? Number(at) : undefined;
}

/** Returns a fragment with the time of a moment, or without one. */
export const withMoment = (hash: string, atMs: number | undefined): string =>
  withParameter(hash, PARAMETER, atMs === undefined ? undefined : String(Math.floor(atMs)));
