import type { AnyKind, DeepReadonly } from '../../api/kinds/index.ts';
import { ApiError, forbidden } from '../../api/status/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { AdmissionRequest } from '../request.ts';

/** Creates the error for an object that a plugin rejects: `pods "web" is forbidden: …`. */
export function rejection(
  request: DeepReadonly<AdmissionRequest>,
  vocabulary: Vocabulary,
  message: string,
): ApiError {
  const { kind, object } = request;
  const name = request.name || object?.metadata?.name || object?.metadata?.generateName || 'Unknown';
  return forbidden({ group: vocabulary.group(kind.group), resource: kind.plural }, name, message);
}

/** Returns a predicate for the kind of the core group with the given plural name. */
export const coreKind =
  (plural: string) =>
  ({ group, plural: found }: Pick<AnyKind, 'group' | 'plural'>): boolean =>
    group === '' && found === plural;

/**
 * True if a request concerns the kind of the core group with the given plural name, and not a subresource.
 */
export const isCore = (request: DeepReadonly<AdmissionRequest>, plural: string): boolean =>
  request.kind.group === '' && request.kind.plural === plural && request.subresource === '';

/** Creates an error without a reason. As in upstream, clients receive status 500 with the message. */
export const plainError = (message: string): ApiError =>
  new ApiError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
