import type { PermissionsOf } from '../api/rbac/index.ts';

/**
 * Record of one controller with all facts that other layers need. It imports neither the machine nor the
 * effects, so that an API server can read it without them.
 *
 *     export const tokenCleanerManifest = {
 *       name: 'tokencleaner',
 *       summary: 'deletes expired bootstrap tokens',
 *       concurrency: 5,
 *       permissions: (r) => ({ account: 'token-cleaner', system: [r.can('delete get list watch', 'core', 'secrets')] }),
 *     } as const satisfies ControllerManifest;
 *
 *     export const tokenCleanerController = implement(tokenCleanerManifest, { machine, watches, effects });
 */
export interface ControllerManifest {
  /** Name of the controller in `--controllers`, and id of its machine. */
  readonly name: string;
  /** Task of the controller for the documentation, in the third person and without a full stop. */
  readonly summary: string;
  /** Other names that `--controllers` accepts, such as those of release 1.24. */
  readonly aliases?: readonly string[];
  /** Maximum number of keys reconciled at a time; default value of the controller's flag. */
  readonly concurrency: number;
  /**
   * Word in the name of the controller's flag, `--concurrent-<word>-syncs`. Default: the controller's name.
   */
  readonly flagWord?: string;
  /** Default permissions. Default: none beyond the permissions of the controller manager. */
  readonly permissions?: PermissionsOf;
  /** Source component of the controller's core/v1 events. Default: the program's name. */
  readonly eventSource?: string;
  /** True if at most one process runs the controller, under leader election. Default false. */
  readonly single?: true;
  /**
   * True if keys of the controller have due times set by users: other controllers slow down while such a key
   * is late. Default false.
   */
  readonly deadlineSensitive?: true;
  /** True if the controller runs only when `--controllers` names it. Default false. */
  readonly offByDefault?: true;
  /**
   * Flags with the paths of the files that the controller needs. Without these files and without a data
   * directory, the controller does not run.
   */
  readonly fileFlags?: string;
  /**
   * True if the controller handles bootstrap tokens. A program may run such controllers only if they are
   * named.
   */
  readonly ofBootstrapTokens?: true;
}
