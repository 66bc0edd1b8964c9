import type { AnyKind, DeepReadonly } from '../../api/kinds/index.ts';
import { ApiError, forbidden } from '../../api/status/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
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
  ({ group, plural: found }: Pick<AnyKind, 'group' | 'plural'>): boolean =>
    group === '' && found === plural;

/** Whether a request is about a kind of the core group itself, not a subresource. */
export const isCore = (request: DeepReadonly<AdmissionRequest>, plural: string): boolean =>
  request.kind.group === '' && request.kind.plural === plural && request.subresource === '';

/** Several reasons as one text: each once, in brackets where there is more than one. */
export function aggregated(messages: readonly string[]): string {
  const distinct = [...new Set(messages)];
  return distinct.length === 1 ? `${distinct[0]}` : `[${distinct.join(', ')}]`;
}

/** What upstream passes on as it is: it has no reason, so that clients are answered 500 with its text. */
export const plainError = (message: string): ApiError =>
  new ApiError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
