import type { DeepReadonly, UserInfo } from '../../api/kinds/index.ts';
import type {
  FlowSchemaSpec,
  NonResourcePolicyRule,
  ResourcePolicyRule,
  Subject,
} from '../../api/types/flowcontrol-v1beta2-flow-schema.ts';
import type { RequestInfo } from '../request.ts';

/** Spec of a flow schema, read-only. */
export type SchemaSpec = DeepReadonly<FlowSchemaSpec>;

/** Flow schema with the value that matching requests get. */
export interface Entry<T> {
  readonly spec: SchemaSpec;
  readonly value: T;
}

/** Limit of cached users, after which the cache is cleared; each costs a few hundred bytes. */
const MAX_USERS = 2_000;
/**
 * Longest cached key: longer names, which no real user has, are evaluated each time so that they cannot
 * exhaust memory.
 */
const MAX_KEY_LENGTH = 1_024;
const ALL = '*';
const ACCOUNT_PREFIX = 'system:serviceaccount:';

/**
 * Finds the first schema that matches a request. The schemas that concern a user are computed once per user,
 * so that a request is checked against their rules only.
 */
export class Classifier<T> {
  readonly #policies: readonly Policy<T>[];
  readonly #fallback: T;
  readonly #byUser = new Map<string, readonly Policy<T>[]>();
  /** By object identity, as authenticators with a cache return the same object again. */
  readonly #byIdentity = new WeakMap<UserInfo, readonly Policy<T>[]>();

  /**
   * Takes `entries` in order of precedence; `fallback` serves users in neither of the two groups that
   * everyone is in.
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

/** Compiled rule of a schema: its subjects, and the requests it matches. */
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

/** Matches all values for the single item `*`, else those in the list. */
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

/** Compiles a path, which also matches everything below it, with or without `*`. */
function compilePath(path: string): (requested: string) => boolean {
  if (path === ALL) return () => true;
  const stem = path.endsWith(ALL) ? path.slice(0, -1) : path;
  const prefix = stem.endsWith('/') ? stem : `${stem}/`;
  return (requested) => requested === path || requested.startsWith(prefix);
}
