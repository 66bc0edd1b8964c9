import type { UserInfo } from '../../api/kinds/index.ts';
import type { Soon } from '../../base/async/index.ts';
import type { HttpResponse } from '../../base/http/index.ts';
import type { RequestContext } from '../request.ts';

/**
 * Function that handles a request or passes it to the next stage. Returns a promise only if it has to wait;
 * otherwise it returns or throws synchronously.
 */
export type Next = (context: RequestContext) => Soon<HttpResponse>;

/**
 * One named step of the pipeline. `run` throws `ApiError` to reject a request, and calls `next` at most once.
 * Any other exception is a defect, which the outermost stage turns into a 500.
 */
export interface Stage {
  readonly name: string;
  run(context: RequestContext, next: Next): Soon<HttpResponse>;
}

/** User of a request before authentication. */
export const NOBODY: UserInfo = { username: '', groups: [] };

/**
 * Composes stages, outermost first. Stages are composed once, so that each request costs one call a stage and
 * no new closure for `next`.
 */
export const compose = (stages: readonly Stage[], last: Next): Next =>
  stages.reduceRight<Next>((next, stage) => (context) => stage.run(context, next), last);

/** True for a request without a deadline that counts towards no limit: a watch or a proxied stream. */
export const isLongRunning = ({ info }: RequestContext): boolean =>
  info.isResourceRequest &&
  (info.verb === 'watch' ||
    info.verb === 'proxy' ||
    info.subresource === 'proxy' ||
    info.subresource === 'log' ||
    info.subresource === 'exec' ||
    info.subresource === 'attach' ||
    info.subresource === 'portforward');
