import { useEffect, useState } from 'preact/hooks';
import type { Access, Act, Need } from '../../model/acts/act.ts';
import { sendForJson, token } from '../access.ts';
import { useStore } from '../store.ts';

/** Answers of the server by access, in JSON. An access is missing while it is asked for. */
type Rights = ReadonlyMap<string, boolean>;

/** Asks the server if the user has an access. If the review fails, the access counts as refused. */
async function review(authorizationGroup: string, { path, ...attributes }: Access): Promise<boolean> {
  const spec =
    path === undefined
      ? { resourceAttributes: attributes }
      : { nonResourceAttributes: { path, verb: attributes.verb } };
  const { status } = await sendForJson<{ readonly status?: { readonly allowed?: boolean } }>(
    `/apis/${authorizationGroup}/v1/selfsubjectaccessreviews`,
    { method: 'POST', contentType: 'application/json', body: JSON.stringify({ spec }) },
  ).catch(() => ({ status: undefined }));
  return status?.allowed === true;
}

/** Returns the user's rights to some acts. They are asked for again if the needed accesses change. */
export function useRights(authorizationGroup: string, acts: readonly Act[]): Rights {
  const bearer = useStore(token);
  const [rights, show] = useState<Rights>(new Map());
  const accesses = acts.flatMap(({ needs }) => needs.flatMap(({ anyOf }) => anyOf));
  const wanted = [...new Set(accesses.map((access) => JSON.stringify(access)))].sort();
  useEffect(() => {
    let isCurrent = true;
    const ask = async (text: string): Promise<[string, boolean]> => [
      text,
      await review(authorizationGroup, JSON.parse(text) as Access),
    ];
    void Promise.all(wanted.map(ask)).then((answers) => isCurrent && show(new Map(answers)));
    return () => void (isCurrent = false);
  }, [bearer, wanted.join()]);
  return rights;
}

/** Returns whether the user has all that an act needs, or the reason why not. */
export function permissionFor(
  { needs }: Act,
  rights: Rights,
): 'asking' | 'allowed' | { readonly missing: string } {
  const answers = (need: Need): readonly (boolean | undefined)[] =>
    need.anyOf.map((access) => rights.get(JSON.stringify(access)));
  const missing = needs.filter((need) => answers(need).every((allowed) => allowed === false));
  if (missing.length > 0) return { missing: missing.map(({ text }) => text).join(', ') };
  return needs.every((need) => answers(need).includes(true)) ? 'allowed' : 'asking';
}
