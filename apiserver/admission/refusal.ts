import type { DeepReadonly } from '../../api/kinds/kind.ts';
import type { AnyKind } from '../../api/kinds/scheme.ts';
import { type ApiError, forbidden } from '../../api/status/api-error.ts';
import type { Vocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { AdmissionRequest } from '../request.ts';

/** `pods "web" is forbidden: …`, of the object a plugin refuses. */
export function refusal(
  request: DeepReadonly<AdmissionRequest>,
  vocabulary: Vocabulary,
  message: string,
): ApiError {
  const { kind, object } = request;
  const name = request.name || object?.metadata?.name || object?.metadata?.generateName || 'Unknown';
  return forbidden({ group: vocabulary.group(kind.group), resource: kind.plural }, name, message);
}

/** The kind of that name in the core group. */
export const coreKind =
  (plural: string) =>
  ({ group, plural: found }: AnyKind): boolean =>
    group === '' && found === plural;

/** Whether a request is about a kind of the core group itself, not a subresource. */
export const isCore = (request: DeepReadonly<AdmissionRequest>, plural: string): boolean =>
  request.kind.group === '' && request.kind.plural === plural && request.subresource === '';
