import type { UserInfo } from '../../api/kinds/index.ts';
import type { Soon } from '../../base/async/index.ts';
import type { HttpResponse } from '../../base/http/index.ts';
import type { RequestContext } from '../request.ts';

/** What answers a request, or hands it on; at once where nothing is waited for, which is thrown at once too. */
export type Next = (context: RequestContext) => Soon<HttpResponse>;

/**
 * One named step of the pipeline. Throws `ApiError` for a refusal; calls `next` at most once; anything else thrown is
 * a defect that the outermost stage turns into a 500.
 */
export interface Stage {
  readonly name: string;
  run(context: RequestContext, next: Next): Soon<HttpResponse>;
}

/** Who asks before authentication has said so. */
export const NOBODY: UserInfo = { username: '', groups: [] };

/** Joins stages, outermost first, once; a request then costs one call a stage and no new closure. */
export const compose = (stages: readonly Stage[], last: Next): Next =>
  stages.reduceRight<Next>((next, stage) => (context) => stage.run(context, next), last);

/** Requests that may last as long as they like and count among no limits: watches and proxied streams. */
export const isLongRunning = ({ info }: RequestContext): boolean =>
  info.isResourceRequest &&
  (info.verb === 'watch' ||
    info.verb === 'proxy' ||
    info.subresource === 'proxy' ||
    info.subresource === 'log' ||
    info.subresource === 'exec' ||
    info.subresource === 'attach' ||
    info.subresource === 'portforward');
