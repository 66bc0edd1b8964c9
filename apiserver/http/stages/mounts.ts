import type { HttpHandler } from '../../../base/http/index.ts';
import type { Stage } from '../pipeline.ts';

/** Paths that another part of the process answers. */
export interface Mount {
  /** It and everything below it, such as `/journal/v1`; never below `/api` or `/apis`. */
  readonly path: string;
  /** Anyone may read it, without a credential: files that say nothing of the cluster. Default: as other non-resource URLs. */
  readonly open?: boolean;
  readonly handler: HttpHandler;
}

/** Hands requests for mounted paths over. Open ones come before authentication, the others after authorization. */
export const createMounts = (mounts: readonly Mount[]): Stage => ({
  name: 'mounts',
  run(context, next) {
    const { path } = context.info;
    const mount = mounts.find((each) => path === each.path || path.startsWith(`${each.path}/`));
    return mount === undefined ? next(context) : mount.handler(context.http);
  },
});
