import type { DeepReadonly, UserInfo } from '../../api/kinds/kind.ts';
import { forbidden, notFound } from '../../api/status/api-error.ts';
import type { ClusterRole, PolicyRule, RoleBinding } from '../../api/types/rbac-v1.ts';
import { cutText } from '../../api/status/short-text.ts';
import type { Vocabulary } from '../../api/vocabulary/vocabulary.ts';
import { WorkBudget, charged } from '../../base/budget/work-budget.ts';
import { MASTERS } from '../auth/groups.ts';
import type { AdmissionPlugin, AdmissionRequest, Attributes, Authorizer } from '../request.ts';
import { isOnlyLettingGo } from './letting-go.ts';
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
  /** All modes together: asked for the verbs `escalate` and `bind`. */
  readonly authorizer: Authorizer;
  readonly vocabulary: Vocabulary;
}

/**
 * Nobody grants more than they hold: who writes a role must hold all its rules or the verb `escalate` on it, who
 * writes a binding all rules of the role it refers to or the verb `bind` on that role (specification 1, section 2.8).
 * Runs with the validating plugins, after everything that could still change the object; it is part of the group and
 * can't be switched off.
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
      if (previous !== undefined && isOnlyLettingGo(object, previous)) return;
      if (ROLES.has(kind.plural)) await grants.checkRole(request, object as DeepReadonly<ClusterRole>);
      if (BINDINGS.has(kind.plural)) await grants.checkBinding(request, object as DeepReadonly<RoleBinding>);
    },
  };
}

type Request = DeepReadonly<AdmissionRequest>;

/** What users hold, against what they are about to give. */
class Grants {
  readonly #options: EscalationOptions;
  /** As refusals name it. */
  readonly #group: string;

  constructor(options: EscalationOptions) {
    this.#options = options;
    this.#group = options.vocabulary.group(GROUP);
  }

  async checkRole(request: Request, role: DeepReadonly<ClusterRole>): Promise<void> {
    const { user, namespace, kind, operation } = request;
    const name = role.metadata?.name ?? '';
    const asked = operation === 'CREATE' ? '' : name;
    if (await this.#may(user, { verb: 'escalate', resource: kind.plural, namespace, name: asked })) return;
    const resource = { group: this.#group, resource: kind.plural };
    const refusal = this.#refusal(user, namespace, role.rules ?? []);
    if (refusal !== undefined) throw forbidden(resource, name, refusal);
    const previous = request.previous as DeepReadonly<ClusterRole> | undefined;
    if (!aggregates(role) && !aggregates(previous)) return;
    if (this.#refusal(user, namespace, EVERYTHING) !== undefined)
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
    const refusal = this.#refusal(user, namespace, role.rules ?? []);
    if (refusal !== undefined)
      throw forbidden({ group: this.#group, resource: kind.plural }, metadata?.name ?? '', refusal);
  }

  async #may(
    user: UserInfo,
    asked: Pick<Attributes, 'verb' | 'resource' | 'namespace' | 'name'>,
  ): Promise<boolean> {
    const { verdict } = await this.#options.authorizer.authorize({
      ...asked,
      user,
      isResourceRequest: true,
      path: '',
      group: this.#group,
      version: 'v1',
      subresource: '',
    });
    return verdict === 'allow';
  }

  /** Undefined where the user holds all of the rules. Has a budget: what many large rules combine to is unbounded. */
  #refusal(user: UserInfo, namespace: string, wanted: readonly Rule[]): string | undefined {
    return charged(new WorkBudget(), () => {
      const { rules, errors } = this.#options.rbac.rulesFor(user, namespace);
      const missing = uncovered(rules, wanted, MOST_SHOWN);
      return missing.rules.length === 0 ? undefined : refusalText(user, missing, errors);
    });
  }
}

/** Rules that one refusal names, and characters of its text. */
const MOST_SHOWN = 500;
const MOST_TEXT = 32 * 1024;

function refusalText(user: UserInfo, { rules, left }: Uncovered, errors: readonly string[]): string {
  const lines = [...new Set(rules.map(describeRule))].sort();
  const rest = left === 0 ? '' : `\n… and ${left} more rules`;
  const trouble = errors.length === 0 ? '' : `; resolution errors: [${errors.join(', ')}]`;
  const who = `user ${JSON.stringify(user.username)} (groups=${goList(user.groups)})`;
  const text = `${who} is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}`;
  return `${cutText(text, MOST_TEXT)}${rest}${cutText(trouble, MOST_TEXT)}`;
}

const aggregates = (role: DeepReadonly<ClusterRole> | undefined): boolean =>
  (role?.aggregationRule?.clusterRoleSelectors ?? []).length > 0;
