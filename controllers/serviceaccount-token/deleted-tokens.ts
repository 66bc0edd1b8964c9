import { type ApiObject, type DeepReadonly, keyOf } from '../../api/kinds/index.ts';
import type { Secret, ServiceAccount } from '../../api/types/core-v1.ts';
import type { ControllerContext, Informer } from '../../runtime/index.ts';

/**
 * Record of the annotations of deleted token Secrets. They identify the ServiceAccount of a token, which the
 * API no longer does.
 */
export interface DeletedTokens {
  /** True if the deleted Secret with this key was a token of the ServiceAccount. */
  was(key: string, account: DeepReadonly<ServiceAccount>): boolean;
  /** Deletes the record of a Secret that no ServiceAccount names any longer. */
  forget(key: string): void;
}

/** Records the token Secrets that are deleted from now on. */
export function watchDeletedTokens(
  { scheme: { vocabulary }, signal }: ControllerContext,
  tokens: Informer<Secret>,
): DeletedTokens {
  const deleted = new Map<string, Readonly<Record<string, string>>>();
  const at = (secret: DeepReadonly<Secret>): string => keyOf(secret as ApiObject);
  const end = tokens.subscribe({
    onApply: (secret) => void deleted.delete(at(secret)),
    onDelete: (secret) => void deleted.set(at(secret), secret.metadata?.annotations ?? {}),
  });
  signal.addEventListener('abort', end, { once: true });
  return {
    was(key, { metadata }) {
      const annotations = deleted.get(key);
      const uid = annotations?.[vocabulary.serviceAccountUid] ?? metadata?.uid;
      return annotations?.[vocabulary.serviceAccountName] === metadata?.name && uid === metadata?.uid;
    },
    forget: (key) => void deleted.delete(key),
  };
}
