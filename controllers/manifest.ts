import type { PermissionsOf } from '../api/rbac/index.ts';

/**
 * Record of one controller: everything that other layers need to know about it. It loads neither the machine nor the
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
  /** Name in `--controllers`, and id of the machine. */
  readonly name: string;
  /** Its task, for the documentation: third person, no full stop. */
  readonly summary: string;
  /** Other names that `--controllers` accepts, such as those of release 1.24. */
  readonly aliases?: readonly string[];
  /** Keys reconciled at a time: default of its flag. */
  readonly concurrency: number;
  /** Word in the name of its flag, `--concurrent-<word>-syncs`. Default: the name. */
  readonly flagWord?: string;
  /** Default permissions. Default: those of the controller manager alone suffice. */
  readonly permissions?: PermissionsOf;
  /** Source component of its core/v1 events. Default: the program's name. */
  readonly eventSource?: string;
  /** True if one process at a time runs it under leader election. Default false. */
  readonly single?: true;
  /** True if its keys have due times set by users: other controllers slow down while one is late. Default false. */
  readonly deadlineSensitive?: true;
  /** True if it runs only when `--controllers` names it. Default false. */
  readonly offByDefault?: true;
  /** Flags that name its files. Without them and without a data folder it does not run. */
  readonly fileFlags?: string;
  /** True if it handles bootstrap tokens, which a program may leave to controllers that are named. */
  readonly ofBootstrapTokens?: true;
}
