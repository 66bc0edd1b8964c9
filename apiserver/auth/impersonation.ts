import type { UserInfo } from '../../api/kinds/kind.ts';
import { internalError } from '../../api/status/api-error.ts';
import type { Vocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { HttpHeaders } from '../../base/http/message.ts';
import { serviceAccountGroups, splitServiceAccountUsername } from '../../base/tokens/claims.ts';
import { accessRefused } from '../http/access-refused.ts';
import type { Stage } from '../http/pipeline.ts';
import { refusalOf } from '../http/stages/authorization.ts';
import type { Attributes, Authorizer } from '../request.ts';
import { ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED } from './groups.ts';

const EXTRA_PREFIX = 'impersonate-extra-';

/** Whom the headers ask to be; undefined when they ask for nobody. */
export interface Impersonation {
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: readonly (readonly [key: string, values: readonly string[]])[];
}

/** The rest of an extra header's name, percent-decoded where it can be. */
function extraKey(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/**
 * Reads the `Impersonate-*` headers (specification 1, section 5.8). Each header line is one group or one value,
 * commas and all: lines are never joined, values never split. Throws when there is no user to go with the rest.
 */
export function readImpersonation(headers: HttpHeaders): Impersonation | undefined {
  const username = headers['impersonate-user']?.[0] ?? '';
  const uid = headers['impersonate-uid']?.[0] ?? '';
  const groups = headers['impersonate-group'] ?? [];
  const extra = readExtra(headers);
  if (username !== '') return { username, uid, groups, extra };
  if (uid === '' && groups.length === 0 && extra.length === 0) return undefined;
  throw internalError('requested groups, extra or uid without impersonating a user');
}

/** Nearly every request has none, and is asked nevertheless. */
function readExtra(headers: HttpHeaders): Impersonation['extra'] {
  const names = Object.keys(headers).filter((name) => name.startsWith(EXTRA_PREFIX));
  if (names.length === 0) return [];
  const byKey = new Map<string, string[]>();
  for (const name of names) {
    const key = extraKey(name.slice(EXTRA_PREFIX.length));
    byKey.set(key, [...(byKey.get(key) ?? []), ...(headers[name] ?? [])]);
  }
  return [...byKey];
}

type Wanted = Pick<Attributes, 'group' | 'version' | 'resource' | 'subresource' | 'namespace' | 'name'>;

/** What the asker must hold the verb `impersonate` on, each separately. */
export function permissionsFor(impersonation: Impersonation, vocabulary: Vocabulary): readonly Wanted[] {
  const core = { group: '', version: 'v1', subresource: '', namespace: '' };
  const authentication = { ...core, group: vocabulary.group('authentication') };
  const { username, uid, groups, extra } = impersonation;
  const account = splitServiceAccountUsername(username);
  return [
    account === undefined
      ? { ...core, resource: 'users', name: username }
      : { ...core, resource: 'serviceaccounts', namespace: account.namespace, name: account.name },
    ...groups.map((name) => ({ ...core, resource: 'groups', name })),
    ...extra.flatMap(([key, values]) =>
      values.map((name) => ({ ...authentication, resource: 'userextras', subresource: key, name })),
    ),
    ...(uid === '' ? [] : [{ ...authentication, resource: 'uids', name: uid }]),
  ];
}

/** A service account without groups gets its own; nobody is authenticated but the anonymous user is not. */
export function impersonatedUser({ username, uid, groups, extra }: Impersonation): UserInfo {
  const account = groups.length === 0 ? splitServiceAccountUsername(username) : undefined;
  const all = account === undefined ? [...groups] : [...serviceAccountGroups(account.namespace)];
  if (!all.includes(AUTHENTICATED) && !all.includes(UNAUTHENTICATED))
    all.push(username === ANONYMOUS ? UNAUTHENTICATED : AUTHENTICATED);
  return {
    username,
    ...(uid === '' ? {} : { uid }),
    groups: all,
    ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}

/** Goes on as another user where headers ask for it and the authorizer lets the asker. */
export function createImpersonation(options: {
  readonly authorizer: Authorizer;
  readonly vocabulary: Vocabulary;
}): Stage {
  return {
    name: 'impersonation',
    async run(context, next) {
      const impersonation = readImpersonation(context.http.headers);
      if (impersonation === undefined) return next(context);
      for (const wanted of permissionsFor(impersonation, options.vocabulary)) {
        const attributes: Attributes = {
          ...wanted,
          user: context.user,
          verb: 'impersonate',
          isResourceRequest: true,
          path: '',
        };
        const { verdict, reason } = await options.authorizer.authorize(attributes);
        if (verdict === 'allow') continue;
        const refusal = refusalOf(attributes);
        throw accessRefused(
          { group: wanted.group, resource: wanted.resource },
          wanted.name,
          reason === '' ? refusal : `${refusal}: ${reason}`,
        );
      }
      context.user = impersonatedUser(impersonation);
      return next(context);
    },
  };
}
