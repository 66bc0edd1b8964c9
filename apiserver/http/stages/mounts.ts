import type { HttpHandler } from '../../../base/http/index.ts';
import type { Stage } from '../pipeline.ts';

/** A path that another part of the process handles. */
export interface Mount {
  /** The path, such as `/journal/v1`, with everything below it; never below `/api` or `/apis`. */
  readonly path: string;
  /**
   * True if no credential is required, for files that reveal nothing about the cluster. Default false: authorized like
   * other non-resource URLs.
   */
  readonly open?: boolean;
  readonly handler: HttpHandler;
}

/**
 * Passes requests for mounted paths to their handlers. Open mounts come before authentication, the others after
 * authorization.
 */
export const createMounts = (mounts: readonly Mount[]): Stage => ({
  name: 'mounts',
  run(context, next) {
    const { path } = context.info;
    const mount = mounts.find((each) => path === each.path || path.startsWith(`${each.path}/`));
    return mount === undefined ? next(context) : mount.handler(context.http);
  },
});
