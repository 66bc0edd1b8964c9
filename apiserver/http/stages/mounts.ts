import type { HttpHandler } from '../../../base/http/index.ts';
import type { Stage } from '../pipeline.ts';

/** Path that another part of the process handles. */
export interface Mount {
  /** Path, such as `/journal/v1`, including everything below it. Must not be below `/api` or `/apis`. */
  readonly path: string;
  /**
   * True if no credential is required, for files that reveal nothing about the cluster. Default: false, which
   * means the path is authorized like other non-resource URLs.
   */
  readonly open?: boolean;
  readonly handler: HttpHandler;
}

/**
 * Creates the stage that passes requests for mounted paths to their handlers. Open mounts precede
 * authentication, the others follow authorization.
 */
export const createMounts = (mounts: readonly Mount[]): Stage => ({
  name: 'mounts',
  run(context, next) {
    const { path } = context.info;
    const mount = mounts.find((each) => path === each.path || path.startsWith(`${each.path}/`));
    return mount === undefined ? next(context) : mount.handler(context.http);
  },
});
