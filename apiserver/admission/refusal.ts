import type { AnyKind, DeepReadonly } from '../../api/kinds/index.ts';
import { ApiError, forbidden } from '../../api/status/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { AdmissionRequest } from '../request.ts';

/** Creates the error of a plugin that refuses an object: `pods "web" is forbidden: …`. */
export function refusal(
  request: DeepReadonly<AdmissionRequest>,
  vocabulary: Vocabulary,
  message: string,
): ApiError {
  const { kind, object } = request;
  const name = request.name || object?.metadata?.name || object?.metadata?.generateName || 'Unknown';
  return forbidden({ group: vocabulary.group(kind.group), resource: kind.plural }, name, message);
}

/** Returns a predicate for the core-group kind with the given plural. */
export const coreKind =
  (plural: string) =>
  ({ group, plural: found }: Pick<AnyKind, 'group' | 'plural'>): boolean =>
    group === '' && found === plural;

/** True if a request concerns a core-group kind itself, not a subresource. */
export const isCore = (request: DeepReadonly<AdmissionRequest>, plural: string): boolean =>
  request.kind.group === '' && request.kind.plural === plural && request.subresource === '';

/**
 * Creates an error that upstream returns without a reason, so that clients receive status 500 with its text.
 */
export const plainError = (message: string): ApiError =>
  new ApiError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
