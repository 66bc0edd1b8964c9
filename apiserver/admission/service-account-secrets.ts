import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { PodSpec } from '../../api/types/core-v1-pod.ts';
import type { ServiceAccount } from '../../api/types/core-v1.ts';
import { podSecrets } from './pod-secrets.ts';
import { parseGoBoolean } from '../go-boolean.ts';

type Account = DeepReadonly<ServiceAccount>;
type Spec = DeepReadonly<PodSpec>;

/** True if the pods of a service account may use only the Secrets that the account lists. */
export function isLimited({ metadata }: Account, annotation: string): boolean {
  const annotations = metadata?.annotations ?? {};
  return Object.hasOwn(annotations, annotation) && parseGoBoolean(annotations[annotation]) === true;
}

/**
 * Returns the reason why a pod may not use its Secrets: its service account does not list one of them.
 * Returns undefined if the account lists all.
 */
export function secretRejection(spec: Spec, account: Account): string | undefined {
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

/** Checks only the Secrets of ephemeral containers, which are added to existing pods. */
export const ephemeralSecretRejection = (
  { ephemeralContainers = [] }: Spec,
  account: Account,
): string | undefined => secretRejection({ containers: [], ephemeralContainers }, account);

/**
 * Returns the reason why a mirror pod is rejected. Mirror pods belong to a node agent and must not reference
 * API objects.
 */
export function mirrorRejection(spec: Spec): string | undefined {
  if ((spec.serviceAccountName ?? '') !== '') return 'a mirror pod may not reference service accounts';
  if (!podSecrets(spec).next().done) return 'a mirror pod may not reference secrets';
  const projects = spec.volumes?.some(({ projected }) =>
    projected?.sources?.some(({ serviceAccountToken }) => serviceAccountToken !== undefined),
  );
  return projects ? 'a mirror pod may not use ServiceAccountToken volume projections' : undefined;
}
