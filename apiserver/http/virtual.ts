import type { ApiObject } from '../../api/kinds/index.ts';
import type { RequestContext } from '../request.ts';

/**
 * Answers a resource that is not stored (TokenReview, access reviews) or a subresource with a kind of its own
 * (`serviceaccounts/token`). Given to the server at assembly.
 */
export interface VirtualHandler {
  /** Without the vocabulary's suffix, as in `Kind.group`: '', 'authentication', 'authorization'. */
  readonly group: string;
  readonly version: string;
  /** Plural. */
  readonly resource: string;
  /** '' for the resource itself. */
  readonly subresource: string;
  /**
   * `body` is decoded by the schema of the kind (or of the virtual subresource): pruned, defaulted, with kind and
   * apiVersion. `namespace` and `name` are those of the path, '' where it has none.
   * The answer is written with kind and apiVersion filled in. Refusals are thrown as `ApiError`.
   */
  handle(context: RequestContext, body: ApiObject, namespace: string, name: string): Promise<ApiObject>;
  /**
   * Server-side apply of a configuration of the very kind, which is as the client sent it; the answer is as of `handle`.
   * A handler without it is patched in the other ways alone.
   */
  apply?(context: RequestContext, config: ApiObject, namespace: string, name: string): Promise<ApiObject>;
  /** What admission is shown as being there before an update, without kind and apiVersion; of handlers that have updates. */
  previous?(namespace: string, name: string): Promise<ApiObject>;
  /** What a patch starts from, where that is not the answer to a read; without kind and apiVersion. */
  patched?(namespace: string, name: string): Promise<ApiObject>;
}

/** The key under which a handler is found: served by group, version, resource and subresource. */
export const virtualKey = (
  handler: Omit<VirtualHandler, 'handle' | 'apply' | 'previous' | 'patched'>,
): string => `${handler.group}/${handler.version}/${handler.resource}/${handler.subresource}`;
