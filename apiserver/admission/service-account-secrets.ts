import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { PodSpec } from '../../api/types/core-v1-pod.ts';
import type { ServiceAccount } from '../../api/types/core-v1.ts';
import { podSecrets } from './pod-secrets.ts';
import { parseGoBoolean } from '../go-boolean.ts';

type Account = DeepReadonly<ServiceAccount>;
type Spec = DeepReadonly<PodSpec>;

/** True if pods of an account may use only the Secrets it lists. */
export function isLimited({ metadata }: Account, annotation: string): boolean {
  const annotations = metadata?.annotations ?? {};
  return Object.hasOwn(annotations, annotation) && parseGoBoolean(annotations[annotation]) === true;
}

/**
 * Returns why a pod may not use a Secret that its limited account does not list; undefined if it may use all.
 */
export function secretRefusal(spec: Spec, account: Account): string | undefined {
  const mountable = new Set((account.secrets ?? []).map(({ name }) => name));
  const who = `service account ${account.metadata?.name ?? ''}`;
  for (const { name, by, kind } of podSecrets(spec))
    if ((kind === 'volume' || kind === 'environment') && !mountable.has(name))
      return `${by} secret.secretName="${name}" is not allowed because ${who} does not reference that secret`;
  const pullable = new Set((account.imagePullSecrets ?? []).map(({ name }) => name));
  const at = (spec.imagePullSecrets ?? []).findIndex(({ name }) => !pullable.has(name));
  const pulled = spec.imagePullSecrets?.[at];
  if (pulled === undefined) return undefined;
  return `imagePullSecrets[${at}].name="${pulled.name ?? ''}" is not allowed because ${who} does not reference that imagePullSecret`;
}

/** Checks only the ephemeral containers, which are added later. */
export const ephemeralSecretRefusal = (
  { ephemeralContainers = [] }: Spec,
  account: Account,
): string | undefined => secretRefusal({ containers: [], ephemeralContainers }, account);

/**
 * Returns why a mirror pod is refused; mirror pods belong to a node agent and must not reference API objects.
 */
export function mirrorRefusal(spec: Spec): string | undefined {
  if ((spec.serviceAccountName ?? '') !== '') return 'a mirror pod may not reference service accounts';
  if (!podSecrets(spec).next().done) return 'a mirror pod may not reference secrets';
  const projects = spec.volumes?.some(({ projected }) =>
    projected?.sources?.some(({ serviceAccountToken }) => serviceAccountToken !== undefined),
  );
  return projects ? 'a mirror pod may not use ServiceAccountToken volume projections' : undefined;
}
