export type { ControllerPermissions, PermissionsOf } from './controller-permissions.ts';
export { type RuleWords, type RulesByRole, ruleWords } from './rule-words.ts';
