import type { ControllerPermissions, RulesByRole } from '../../api/rbac/index.ts';
import type { PolicyRule } from '../../api/types/rbac-v1.ts';

/** Rules of controllers by scope, then by ServiceAccount name, in sorted order. */
export type ControllerRules = Readonly<Record<'everywhere' | 'system' | 'public', RulesByRole>>;

/**
 * Merges the rules of all controllers. Controllers that share a ServiceAccount get the union of their rules.
 */
export function mergeControllerRules(permissions: readonly ControllerPermissions[]): ControllerRules {
  const sorted = permissions.toSorted((a, b) => (a.account < b.account ? -1 : a.account > b.account ? 1 : 0));
  const rulesIn = (place: keyof ControllerRules): RulesByRole => {
    const byAccount: Record<string, readonly PolicyRule[]> = {};
    for (const { account, [place]: rules } of sorted)
      if (rules !== undefined) byAccount[account] = union(byAccount[account] ?? [], rules);
    return byAccount;
  };
  return { everywhere: rulesIn('everywhere'), system: rulesIn('system'), public: rulesIn('public') };
}

function union(some: readonly PolicyRule[], others: readonly PolicyRule[]): readonly PolicyRule[] {
  const known = new Set(some.map((rule) => JSON.stringify(rule)));
  return [...some, ...others.filter((rule) => !known.has(JSON.stringify(rule)))];
}
