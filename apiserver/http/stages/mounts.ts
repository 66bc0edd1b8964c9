import type { UserInfo } from '../../../api/kinds/index.ts';
import type { Soon } from '../../../base/async/index.ts';
import type { HttpRequest, HttpResponse } from '../../../base/http/index.ts';
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
  /** Handles a request. `user` is the authenticated user; undefined in an open mount. */
  readonly handler: (request: HttpRequest, user?: UserInfo) => Soon<HttpResponse>;
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
    if (mount === undefined) return next(context);
    return mount.open === true ? mount.handler(context.http) : mount.handler(context.http, context.user);
  },
});
