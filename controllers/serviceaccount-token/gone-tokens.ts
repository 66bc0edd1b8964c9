import { type ApiObject, type DeepReadonly, keyOf } from '../../api/kinds/index.ts';
import type { Secret, ServiceAccount } from '../../api/types/core-v1.ts';
import type { ControllerContext, Informer } from '../../runtime/index.ts';

/** Token Secrets that were seen to go: whose they were cannot be read any longer. */
export interface GoneTokens {
  /** Whether the Secret of this key was a token of the account. */
  was(key: string, account: DeepReadonly<ServiceAccount>): boolean;
  /** No account names it any more. */
  forget(key: string): void;
}

export function watchGoneTokens(
  { scheme: { vocabulary }, signal }: ControllerContext,
  tokens: Informer<Secret>,
): GoneTokens {
  const gone = new Map<string, Readonly<Record<string, string>>>();
  const at = (secret: DeepReadonly<Secret>): string => keyOf(secret as ApiObject);
  const end = tokens.subscribe({
    onApply: (secret) => void gone.delete(at(secret)),
    onDelete: (secret) => void gone.set(at(secret), secret.metadata?.annotations ?? {}),
  });
  signal.addEventListener('abort', end, { once: true });
  return {
    was(key, { metadata }) {
      const annotations = gone.get(key);
      const uid = annotations?.[vocabulary.serviceAccountUid] ?? metadata?.uid;
      return annotations?.[vocabulary.serviceAccountName] === metadata?.name && uid === metadata?.uid;
    },
    forget: (key) => void gone.delete(key),
  };
}
