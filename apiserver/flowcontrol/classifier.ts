import type { DeepReadonly, UserInfo } from '../../api/kinds/index.ts';
import type {
  FlowSchemaSpec,
  NonResourcePolicyRule,
  ResourcePolicyRule,
  Subject,
} from '../../api/types/flowcontrol-v1beta2-flow-schema.ts';
import type { RequestInfo } from '../request.ts';

/** Read-only spec of a FlowSchema. */
export type SchemaSpec = DeepReadonly<FlowSchemaSpec>;

/** FlowSchema spec, and the value that is returned for matching requests. */
export interface Entry<T> {
  readonly spec: SchemaSpec;
  readonly value: T;
}

/** Maximum number of cached users, each of which takes a few hundred bytes. A full cache is cleared. */
const MAX_USERS = 2_000;
/**
 * Maximum length of a cached key in characters. Longer names, which no real user has, are evaluated for each
 * request so that they cannot exhaust memory.
 */
const MAX_KEY_LENGTH = 1_024;
const ALL = '*';
const ACCOUNT_PREFIX = 'system:serviceaccount:';

/**
 * Classifier that finds the first FlowSchema that matches a request. The schemas that apply to a user are
 * computed once per user, so that a request is compared with their rules only.
 */
export class Classifier<T> {
  readonly #policies: readonly Policy<T>[];
  readonly #fallback: T;
  readonly #byUser = new Map<string, readonly Policy<T>[]>();
  /** Schemas by object identity, as authenticators with a cache return the same user object repeatedly. */
  readonly #byIdentity = new WeakMap<UserInfo, readonly Policy<T>[]>();

  /**
   * Creates a classifier. `entries` are in order of precedence. `fallback` is returned for users that are in
   * neither `system:authenticated` nor `system:unauthenticated`.
   */
  constructor(entries: readonly Entry<T>[], fallback: T) {
    this.#policies = entries.flatMap(({ spec, value }) =>
      (spec.rules ?? []).map(({ subjects, resourceRules, nonResourceRules }) => ({
        value,
        concerns: compileSubjects(subjects),
        resourceRules: (resourceRules ?? []).map(compileResourceRule),
        nonResourceRules: (nonResourceRules ?? []).map(compileNonResourceRule),
      })),
    );
    this.#fallback = fallback;
  }

  classify(user: UserInfo, info: RequestInfo): T {
    for (const policy of this.#policiesOf(user)) {
      const rules = info.isResourceRequest ? policy.resourceRules : policy.nonResourceRules;
      for (const matches of rules) if (matches(info)) return policy.value;
    }
    return this.#fallback;
  }

  #policiesOf(user: UserInfo): readonly Policy<T>[] {
    const known = this.#byIdentity.get(user);
    if (known !== undefined) return known;
    const policies = this.#policiesByName(user);
    this.#byIdentity.set(user, policies);
    return policies;
  }

  #policiesByName(user: UserInfo): readonly Policy<T>[] {
    const key = `${user.username}\n${user.groups.join('\n')}`;
    const known = this.#byUser.get(key);
    if (known !== undefined) return known;
    const policies = this.#policies.filter(({ concerns }) => concerns(user));
    if (key.length > MAX_KEY_LENGTH) return policies;
    if (this.#byUser.size >= MAX_USERS) this.#byUser.clear();
    this.#byUser.set(key, policies);
    return policies;
  }
}

type Matches = (info: RequestInfo) => boolean;

/** Compiled rule of a FlowSchema: its subjects, and the requests that it matches. */
interface Policy<T> {
  readonly value: T;
  readonly concerns: (user: UserInfo) => boolean;
  readonly resourceRules: readonly Matches[];
  readonly nonResourceRules: readonly Matches[];
}

function compileSubjects(subjects: readonly DeepReadonly<Subject>[]): (user: UserInfo) => boolean {
  const tests = subjects.map(compileSubject);
  return (user) => tests.some((test) => test(user));
}

function compileSubject({
  kind,
  user,
  group,
  serviceAccount,
}: DeepReadonly<Subject>): (user: UserInfo) => boolean {
  if (kind === 'User' && user !== undefined)
    return user.name === ALL ? () => true : ({ username }) => username === user.name;
  if (kind === 'Group' && group !== undefined)
    return group.name === ALL ? () => true : ({ groups }) => groups.includes(group.name);
  if (kind !== 'ServiceAccount' || serviceAccount === undefined) return () => false;
  const prefix = `${ACCOUNT_PREFIX}${serviceAccount.namespace}:`;
  if (serviceAccount.name === ALL) return ({ username }) => username.startsWith(prefix);
  const name = prefix + serviceAccount.name;
  return ({ username }) => username === name;
}

/** Returns a membership test. A list with the single item `*` contains every value. */
function oneOf(list: readonly string[] | undefined): (value: string) => boolean {
  const [first] = list ?? [];
  if (list?.length === 1) return first === ALL ? () => true : (value) => value === first;
  const values = new Set(list);
  return (value) => values.has(value);
}

function compileResourceRule(rule: DeepReadonly<ResourcePolicyRule>): Matches {
  const verb = oneOf(rule.verbs);
  const group = oneOf(rule.apiGroups);
  const resource = oneOf(rule.resources);
  const namespace = oneOf(rule.namespaces);
  const clusterScope = rule.clusterScope === true;
  return (info) =>
    verb(info.verb) &&
    resource(info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`) &&
    group(info.group) &&
    (info.namespace === '' ? clusterScope : namespace(info.namespace));
}

function compileNonResourceRule(rule: DeepReadonly<NonResourcePolicyRule>): Matches {
  const verb = oneOf(rule.verbs);
  const paths = rule.nonResourceURLs.map(compilePath);
  return (info) => verb(info.verb) && paths.some((matches) => matches(info.path));
}

/** Compiles a path pattern. It matches the path and every path below it, whether or not it ends in `*`. */
function compilePath(path: string): (requested: string) => boolean {
  if (path === ALL) return () => true;
  const stem = path.endsWith(ALL) ? path.slice(0, -1) : path;
  const prefix = stem.endsWith('/') ? stem : `${stem}/`;
  return (requested) => requested === path || requested.startsWith(prefix);
}
