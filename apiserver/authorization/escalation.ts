import type { DeepReadonly, UserInfo } from '../../api/kinds/index.ts';
import { cutText, forbidden, notFound } from '../../api/status/index.ts';
import type { ClusterRole, PolicyRule, RoleBinding } from '../../api/types/rbac-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { WorkBudget, charged } from '../../base/budget/index.ts';
import { MASTERS } from '../auth/groups.ts';
import type { AdmissionPlugin, AdmissionRequest, Attributes, Authorizer } from '../request.ts';
import { changesOnlyOwnership } from './ownership-update.ts';
import type { RbacAuthorizer } from './rbac.ts';
import type { RbacReaders } from './rbac-index.ts';
import { type Uncovered, describeRule, goList, uncovered } from './rule-coverage.ts';

type Rule = DeepReadonly<PolicyRule>;

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

const GROUP = 'rbac.authorization';
const ROLES = new Set(['roles', 'clusterroles']);
const BINDINGS = new Set(['rolebindings', 'clusterrolebindings']);

export interface EscalationOptions {
  readonly rbac: Pick<RbacAuthorizer, 'rulesFor'>;
  readonly readers: Pick<RbacReaders, 'roles' | 'clusterRoles'>;
  /** Union of all authorizers; decides whether the user has the verbs `escalate` and `bind`. */
  readonly authorizer: Authorizer;
  readonly vocabulary: Vocabulary;
}

/**
 * Creates the plugin that prevents privilege escalation
 * (https://kubernetes.io/docs/reference/access-authn-authz/rbac/#privilege-escalation-prevention-and-bootstrapping).
 * To write a role, a user needs all permissions in the role, or the verb `escalate` on the role. To write a
 * binding, a user needs all permissions in the bound role, or the verb `bind` on that role.
 *
 * The check is a validating plugin, so that no later plugin changes the object. It cannot be disabled.
 */
export function createEscalationCheck(options: EscalationOptions): AdmissionPlugin {
  const grants = new Grants(options);
  return {
    name: 'EscalationCheck',
    operations: ['CREATE', 'UPDATE'],
    concerns: ({ group }) => group === GROUP,
    async validate(request) {
      const { kind, object, previous, user } = request;
      if (kind.group !== GROUP || object === undefined || request.subresource !== '') return;
      if (user.groups.includes(MASTERS)) return;
      if (previous !== undefined && changesOnlyOwnership(object, previous)) return;
      if (ROLES.has(kind.plural)) await grants.checkRole(request, object as DeepReadonly<ClusterRole>);
      if (BINDINGS.has(kind.plural)) await grants.checkBinding(request, object as DeepReadonly<RoleBinding>);
    },
  };
}

type Request = DeepReadonly<AdmissionRequest>;

/** Comparison of a user's permissions with those that the user is about to grant. */
class Grants {
  readonly #options: EscalationOptions;
  /** API group in error messages. */
  readonly #group: string;

  constructor(options: EscalationOptions) {
    this.#options = options;
    this.#group = options.vocabulary.group(GROUP);
  }

  async checkRole(request: Request, role: DeepReadonly<ClusterRole>): Promise<void> {
    const { user, namespace, kind, operation } = request;
    const name = role.metadata?.name ?? '';
    const target = operation === 'CREATE' ? '' : name;
    if (await this.#may(user, { verb: 'escalate', resource: kind.plural, namespace, name: target })) return;
    const resource = { group: this.#group, resource: kind.plural };
    const rejection = this.#rejection(user, namespace, role.rules ?? []);
    if (rejection !== undefined) throw forbidden(resource, name, rejection);
    const previous = request.previous as DeepReadonly<ClusterRole> | undefined;
    if (!aggregates(role) && !aggregates(previous)) return;
    if (this.#rejection(user, namespace, EVERYTHING) !== undefined)
      throw forbidden(resource, name, 'must have cluster-admin privileges to use the aggregationRule');
  }

  async checkBinding(
    { user, namespace, kind }: Request,
    { metadata, roleRef }: DeepReadonly<RoleBinding>,
  ): Promise<void> {
    const isCluster = roleRef.kind === 'ClusterRole';
    const resource = isCluster ? 'clusterroles' : 'roles';
    if (await this.#may(user, { verb: 'bind', resource, namespace, name: roleRef.name })) return;
    const { clusterRoles, roles } = this.#options.readers;
    const role = isCluster
      ? await clusterRoles.live('', roleRef.name)
      : await roles.live(namespace, roleRef.name);
    if (role === undefined) throw notFound({ group: this.#group, resource }, roleRef.name);
    const rejection = this.#rejection(user, namespace, role.rules ?? []);
    if (rejection !== undefined)
      throw forbidden({ group: this.#group, resource: kind.plural }, metadata?.name ?? '', rejection);
  }

  async #may(
    user: UserInfo,
    action: Pick<Attributes, 'verb' | 'resource' | 'namespace' | 'name'>,
  ): Promise<boolean> {
    const { verdict } = await this.#options.authorizer.authorize({
      ...action,
      user,
      isResourceRequest: true,
      path: '',
      group: this.#group,
      version: 'v1',
      subresource: '',
    });
    return verdict === 'allow';
  }

  /**
   * Returns the error message if the user lacks any of the rules, otherwise undefined. The work is limited by
   * a budget, as the number of combinations of many large rules is unbounded.
   */
  #rejection(user: UserInfo, namespace: string, wanted: readonly Rule[]): string | undefined {
    return charged(new WorkBudget(), () => {
      const { rules, errors } = this.#options.rbac.rulesFor(user, namespace);
      const missing = uncovered(rules, wanted, MAX_SHOWN);
      return missing.rules.length === 0 ? undefined : rejectionText(user, missing, errors);
    });
  }
}

/** Bounds of one error message: number of rules, and number of characters. */
const MAX_SHOWN = 500;
const MAX_TEXT = 32 * 1024;

function rejectionText(user: UserInfo, { rules, left }: Uncovered, errors: readonly string[]): string {
  const lines = [...new Set(rules.map(describeRule))].sort();
  const rest = left === 0 ? '' : `\n… and ${left} more rules`;
  const problems = errors.length === 0 ? '' : `; resolution errors: [${errors.join(', ')}]`;
  const who = `user ${JSON.stringify(user.username)} (groups=${goList(user.groups)})`;
  const text = `${who} is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}`;
  return `${cutText(text, MAX_TEXT)}${rest}${cutText(problems, MAX_TEXT)}`;
}

const aggregates = (role: DeepReadonly<ClusterRole> | undefined): boolean =>
  (role?.aggregationRule?.clusterRoleSelectors ?? []).length > 0;
