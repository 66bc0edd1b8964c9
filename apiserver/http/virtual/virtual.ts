import type { ApiObject } from '../../../api/kinds/index.ts';
import type { RequestContext } from '../../request.ts';

/**
 * Handler of a resource that is not stored (TokenReview, access reviews) or of a subresource with a dedicated
 * kind (`serviceaccounts/token`).
 */
export interface VirtualHandler {
  /** Group without the vocabulary's suffix, as in `Kind.group`: '', 'authentication', 'authorization'. */
  readonly group: string;
  readonly version: string;
  /** Plural name of the resource. */
  readonly resource: string;
  /** Name of the subresource; '' for the resource itself. */
  readonly subresource: string;
  /**
   * Handles a request. `body` is decoded by the schema of the kind or virtual subresource: pruned, defaulted,
   * with kind and apiVersion. `namespace` and `name` are those in the path, or ''. The caller adds kind and
   * apiVersion to the result. Rejects with `ApiError` if the request is invalid or forbidden.
   */
  handle(context: RequestContext, body: ApiObject, namespace: string, name: string): Promise<ApiObject>;
  /**
   * Handles a server-side apply. `config` is as the client sent it, with its kind checked. The result has the
   * form of the result of `handle`. A handler without this method supports only the other patch types.
   */
  apply?(context: RequestContext, config: ApiObject, namespace: string, name: string): Promise<ApiObject>;
  /**
   * Returns the object before an update for admission, without kind and apiVersion. Required for handlers
   * with updates.
   */
  previous?(namespace: string, name: string): Promise<ApiObject>;
  /**
   * Returns the object that a patch is applied to, without kind and apiVersion. Default: the result of a
   * read.
   */
  patched?(namespace: string, name: string): Promise<ApiObject>;
}

/** Returns the key of a handler: group, version, resource and subresource. */
export const virtualKey = (
  handler: Omit<VirtualHandler, 'handle' | 'apply' | 'previous' | 'patched'>,
): string => `${handler.group}/${handler.version}/${handler.resource}/${handler.subresource}`;
