import type { DeepReadonly } from '../../api/kinds/kind.ts';
import { notFound } from '../../api/status/api-error.ts';
import type { Pod, PodSpec } from '../../api/types/core-v1-pod.ts';
import type { Volume } from '../../api/types/core-v1-volume.ts';
import type { ServiceAccount } from '../../api/types/core-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/vocabulary.ts';
import { type Random, nameSuffix } from '../../base/random/random.ts';
import type { ObjectReader } from '../registry/registry.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../request.ts';
import { podSecrets } from './pod-secrets.ts';
import { coreKind, isCore, refusal } from './refusal.ts';

const DEFAULT_ACCOUNT = 'default';
/** An hour, and seven seconds by which such tokens are known. */
const TOKEN_SECONDS = 3607;

type Account = DeepReadonly<ServiceAccount>;

/** Token, authority and namespace in one volume (specification 1, section 5.3). */
const tokenVolume = (name: string, v: Vocabulary): Volume => ({
  name,
  projected: {
    sources: [
      { serviceAccountToken: { path: 'token', expirationSeconds: TOKEN_SECONDS } },
      { configMap: { name: v.rootCaConfigMap, items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      {
        downwardAPI: {
          items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
        },
      },
    ],
    defaultMode: 0o644,
  },
});

/** Mounts the token wherever a container has nothing at its path, and adds the volume when there is none yet. */
function mountToken(spec: PodSpec, v: Vocabulary, random: Random): void {
  const existing = spec.volumes?.find(({ name }) => name.startsWith(v.tokenVolumePrefix));
  const name = existing?.name ?? `${v.tokenVolumePrefix}${nameSuffix(random)}`;
  let mounted = false;
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    if (container.volumeMounts?.some(({ mountPath }) => mountPath === v.tokenMountPath)) continue;
    container.volumeMounts = [
      ...(container.volumeMounts ?? []),
      { name, readOnly: true, mountPath: v.tokenMountPath },
    ];
    mounted = true;
  }
  if (mounted && existing === undefined) spec.volumes = [...(spec.volumes ?? []), tokenVolume(name, v)];
}

/** Why a pod that a node agent mirrors may not be; such pods are the agent's and touch no API object. */
function mirrorRefusal(spec: DeepReadonly<PodSpec>): string | undefined {
  if ((spec.serviceAccountName ?? '') !== '') return 'a mirror pod may not reference service accounts';
  if (!podSecrets(spec).next().done) return 'a mirror pod may not reference secrets';
  const projects = spec.volumes?.some(({ projected }) =>
    projected?.sources?.some(({ serviceAccountToken }) => serviceAccountToken !== undefined),
  );
  return projects ? 'a mirror pod may not use ServiceAccountToken volume projections' : undefined;
}

/** Why a pod may not use a Secret that its account, being limited to its own, does not list. */
function secretRefusal(spec: DeepReadonly<PodSpec>, account: Account): string | undefined {
  const mountable = new Set((account.secrets ?? []).map(({ name }) => name));
  const pullable = new Set((account.imagePullSecrets ?? []).map(({ name }) => name));
  const who = `service account ${account.metadata?.name ?? ''}`;
  for (const { name, by, kind } of podSecrets(spec)) {
    const quoted = JSON.stringify(name);
    if (kind === 'pull' && !pullable.has(name))
      return `imagePullSecret secret.name=${quoted} is not allowed because ${who} does not reference that imagePullSecret`;
    if ((kind === 'volume' || kind === 'environment') && !mountable.has(name))
      return `${by} secret.secretName=${quoted} is not allowed because ${who} does not reference that secret`;
  }
  return undefined;
}

/**
 * Gives each new pod an account, its token and its pull secrets, and refuses pods whose account does not exist or does
 * not allow their Secrets (specification 1, section 5.11.1).
 */
export function createServiceAccountAdmission(options: {
  readonly serviceAccounts: ObjectReader<ServiceAccount>;
  readonly vocabulary: Vocabulary;
  readonly random: Random;
}): AdmissionPlugin {
  const { serviceAccounts, vocabulary: v, random } = options;
  const mirrorAnnotation = v.key('', 'config.mirror');

  const isMirror = (pod: DeepReadonly<Pod>): boolean =>
    Object.hasOwn(pod.metadata?.annotations ?? {}, mirrorAnnotation);

  async function accountOf(request: DeepReadonly<AdmissionRequest>, name: string): Promise<Account> {
    const { namespace } = request;
    const account = serviceAccounts.get(namespace, name) ?? (await serviceAccounts.live(namespace, name));
    if (account !== undefined) return account;
    const { message } = notFound({ group: '', resource: 'serviceaccount' }, name);
    throw refusal(request, v, `error looking up service account ${namespace}/${name}: ${message}`);
  }

  return {
    name: 'ServiceAccount',
    operations: ['CREATE'],
    concerns: coreKind('pods'),
    async mutate(request) {
      const pod = request.object as Pod | undefined;
      if (!isCore(request, 'pods') || pod?.spec === undefined || isMirror(pod)) return;
      const { spec } = pod;
      const name = spec.serviceAccountName || DEFAULT_ACCOUNT;
      spec.serviceAccountName = name;
      spec.serviceAccount = name;
      const account = await accountOf(request, name);
      if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true)
        mountToken(spec, v, random);
      if ((spec.imagePullSecrets ?? []).length === 0 && (account.imagePullSecrets ?? []).length > 0)
        spec.imagePullSecrets = (account.imagePullSecrets ?? []).map((reference) => ({ ...reference }));
    },
    async validate(request) {
      const pod = request.object as DeepReadonly<Pod> | undefined;
      if (!isCore(request, 'pods') || pod?.spec === undefined) return;
      if (isMirror(pod)) {
        const message = mirrorRefusal(pod.spec);
        if (message !== undefined) throw refusal(request, v, message);
        return;
      }
      const name = pod.spec.serviceAccountName ?? '';
      if (name === '')
        throw refusal(
          request,
          v,
          `no service account specified for pod ${request.namespace}/${request.name}`,
        );
      const account = await accountOf(request, name);
      if (account.metadata?.annotations?.[v.enforceMountableSecrets] !== 'true') return;
      const message = secretRefusal(pod.spec, account);
      if (message !== undefined) throw refusal(request, v, message);
    },
  };
}
