import type { PolicyRule } from '../types/rbac-v1.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import type { RuleWords } from './rule-words.ts';

/**
 * Default permissions of one controller. They become roles with the name `system:controller:<account>`, bound to the
 * service account `<account>` of the system namespace.
 */
export interface ControllerPermissions {
  readonly account: string;
  /** Rules for all namespaces; default none. */
  readonly everywhere?: readonly PolicyRule[];
  /** Rules for the system namespace; default none. */
  readonly system?: readonly PolicyRule[];
  /** Rules for the public namespace; default none. */
  readonly public?: readonly PolicyRule[];
}

/** Returns the permissions of a controller in the words of a vocabulary. */
export type PermissionsOf = (words: RuleWords, vocabulary: Vocabulary) => ControllerPermissions;
