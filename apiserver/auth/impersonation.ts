import type { UserInfo } from '../../api/kinds/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { type HttpHeaders, type HttpResponse, textResponse, withHeaders } from '../../base/http/index.ts';
import { serviceAccountGroups, splitServiceAccountUsername } from '../../base/tokens/index.ts';
import { withoutToken } from '../audit/redaction.ts';
import type { Next, Stage } from '../http/pipeline.ts';
import { refused } from '../http/stages/authorization.ts';
import type { Attributes, Authorizer, RequestContext } from '../request.ts';
import { ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED } from './groups.ts';
import { extraKey, fromWire } from './header-text.ts';
import { withoutHeaders } from './request-header.ts';

const PREFIX = 'impersonate-';
const EXTRA_PREFIX = `${PREFIX}extra-`;
const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const isImpersonation = (name: string): boolean => name.startsWith(PREFIX);

/** Identity that the `Impersonate-*` headers request. */
export interface Impersonation {
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: readonly (readonly [key: string, values: readonly string[]])[];
}

/**
 * Reads the `Impersonate-*` headers
 * (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation). Returns
 * undefined if the request has none. Each header line is one group or one value, including its commas: lines
 * are never joined and values never split. The user name is '' if the request has only other impersonation
 * headers.
 */
export function readImpersonation(headers: HttpHeaders): Impersonation | undefined {
  // Nearly every request has no impersonation header.
  if (!hasAny(headers)) return undefined;
  const username = fromWire(headers['impersonate-user']?.[0] ?? '');
  const uid = fromWire(headers['impersonate-uid']?.[0] ?? '');
  const groups = (headers['impersonate-group'] ?? []).map(fromWire);
  const extra = readExtra(headers);
  const isRequested = username !== '' || uid !== '' || groups.length > 0 || extra.length > 0;
  return isRequested ? { username, uid, groups, extra } : undefined;
}

/** Lists the requested groups, extra values and UID in the format in which Go prints object references. */
function referencesOf({ uid, groups, extra }: Impersonation, vocabulary: Vocabulary): readonly string[] {
  const version = vocabulary.apiVersion('authentication', 'v1');
  return [
    ...groups.map((name) => `{Group  ${name}    }`),
    ...extra.flatMap(([key, values]) => values.map((name) => `{UserExtra  ${name}  ${version}  ${key}}`)),
    ...(uid === '' ? [] : [`{UID  ${uid}  ${version}  }`]),
  ];
}

/**
 * Returns the response to impersonation without a user name. As in upstream, it is plain text with status
 * 500.
 */
function userMissing(url: string, impersonation: Impersonation, vocabulary: Vocabulary): HttpResponse {
  const requested = referencesOf(impersonation, vocabulary).join(' ');
  const text = `Internal Server Error: ${JSON.stringify(url)}: requested [${requested}] without impersonating a user\n`;
  return textResponse(
    500,
    text.replace(/[&<>]/g, (sign) => ESCAPED[sign] ?? sign),
  );
}

function hasAny(headers: HttpHeaders): boolean {
  for (const name in headers) if (isImpersonation(name)) return true;
  return false;
}

function readExtra(headers: HttpHeaders): Impersonation['extra'] {
  const byKey = new Map<string, string[]>();
  for (const name of Object.keys(headers)) {
    if (!name.startsWith(EXTRA_PREFIX)) continue;
    const key = extraKey(name.slice(EXTRA_PREFIX.length));
    byKey.set(key, [...(byKey.get(key) ?? []), ...(headers[name] ?? []).map(fromWire)]);
  }
  return [...byKey];
}

type Wanted = Pick<Attributes, 'group' | 'version' | 'resource' | 'subresource' | 'namespace' | 'name'>;

/**
 * Returns the objects on which the original user needs the verb `impersonate`. Each is authorized separately.
 */
function permissionsFor(impersonation: Impersonation, vocabulary: Vocabulary): readonly Wanted[] {
  const core = { group: '', version: '', subresource: '', namespace: '' };
  const authentication = { ...core, group: vocabulary.group('authentication'), version: 'v1' };
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

/**
 * Returns the impersonated user. A service account for which no groups are requested gets the groups of
 * service accounts. Every user except the anonymous one joins `system:authenticated`, unless the requested
 * groups include that group or `system:unauthenticated`.
 */
export function impersonatedUser({ username, uid, groups, extra }: Impersonation): UserInfo {
  const account = groups.length === 0 ? splitServiceAccountUsername(username) : undefined;
  const all = account === undefined ? [...groups] : [...serviceAccountGroups(account.namespace)];
  if (username === ANONYMOUS) {
    if (!all.includes(UNAUTHENTICATED)) all.push(UNAUTHENTICATED);
  } else if (!all.includes(AUTHENTICATED) && !all.includes(UNAUTHENTICATED)) all.push(AUTHENTICATED);
  return {
    username,
    ...(uid === '' ? {} : { uid }),
    groups: all,
    ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}

/**
 * Creates the stage that replaces the user by the impersonated user, if the authorizer allows it. It removes
 * the impersonation headers for later stages, so that an impersonated user cannot impersonate another user.
 */
export function createImpersonation(options: {
  readonly authorizer: Authorizer;
  readonly vocabulary: Vocabulary;
}): Stage {
  return {
    name: 'impersonation',
    run(context, next) {
      const impersonation = readImpersonation(context.http.headers);
      if (impersonation === undefined) return next(context);
      if (impersonation.username === '')
        return userMissing(withoutToken(context.http.url), impersonation, options.vocabulary);
      return goOn(context, next, impersonation);
    },
  };

  async function goOn(
    context: RequestContext,
    next: Next,
    impersonation: Impersonation,
  ): Promise<HttpResponse> {
    for (const wanted of permissionsFor(impersonation, options.vocabulary)) {
      const attributes: Attributes = {
        ...wanted,
        user: context.user,
        verb: 'impersonate',
        isResourceRequest: true,
        path: '',
      };
      const decision = await options.authorizer.authorize(attributes);
      if (decision.verdict !== 'allow') throw refused(attributes, decision);
    }
    context.user = impersonatedUser(impersonation);
    context.http = withHeaders(context.http, withoutHeaders(context.http.headers, isImpersonation));
    return next(context);
  }
}
