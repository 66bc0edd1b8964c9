import type { PolicyRule } from '../types/rbac-v1.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import type { RuleWords } from './rule-words.ts';

/**
 * Default permissions of one controller. They become roles with the name `system:controller:<account>`. The
 * roles are bound to the ServiceAccount `<account>` of the system namespace.
 */
export interface ControllerPermissions {
  readonly account: string;
  /** Rules that apply to all namespaces; default none. */
  readonly everywhere?: readonly PolicyRule[];
  /** Rules that apply to the system namespace; default none. */
  readonly system?: readonly PolicyRule[];
  /** Rules that apply to the public namespace; default none. */
  readonly public?: readonly PolicyRule[];
}

/** Returns the permissions of a controller with the group names of a vocabulary. */
export type PermissionsOf = (words: RuleWords, vocabulary: Vocabulary) => ControllerPermissions;
