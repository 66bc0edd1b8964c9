import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { PodSpec } from '../../api/types/core-v1-pod.ts';
import type { ServiceAccount } from '../../api/types/core-v1.ts';
import { podSecrets } from './pod-secrets.ts';

type Account = DeepReadonly<ServiceAccount>;
type Spec = DeepReadonly<PodSpec>;

/** What Go's `strconv.ParseBool` reads as true. */
const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

/** Whether pods of an account may use its own Secrets alone. */
export function isLimited({ metadata }: Account, annotation: string): boolean {
  const annotations = metadata?.annotations ?? {};
  return Object.hasOwn(annotations, annotation) && TRUE.has(annotations[annotation] ?? '');
}

/** Why a pod may not use a Secret that its account, being limited to its own, does not list. */
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

/** The same of the ephemeral containers of a pod, which come later than the rest of it. */
export const ephemeralSecretRefusal = (
  { ephemeralContainers = [] }: Spec,
  account: Account,
): string | undefined => secretRefusal({ containers: [], ephemeralContainers }, account);

/** Why a pod that a node agent mirrors may not be; such pods are the agent's and touch no API object. */
export function mirrorRefusal(spec: Spec): string | undefined {
  if ((spec.serviceAccountName ?? '') !== '') return 'a mirror pod may not reference service accounts';
  if (!podSecrets(spec).next().done) return 'a mirror pod may not reference secrets';
  const projects = spec.volumes?.some(({ projected }) =>
    projected?.sources?.some(({ serviceAccountToken }) => serviceAccountToken !== undefined),
  );
  return projects ? 'a mirror pod may not use ServiceAccountToken volume projections' : undefined;
}
