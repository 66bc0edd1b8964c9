import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { Pod, PodSpec } from '../../api/types/core-v1-pod.ts';
import type { Volume } from '../../api/types/core-v1-volume.ts';
import type { ServiceAccount } from '../../api/types/core-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { signalOf } from '../../base/async/index.ts';
import { type Random, nameSuffix } from '../../base/random/index.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../request.ts';
import { coreKind, rejection } from './rejection.ts';
import {
  type AccountLookup,
  type AccountLookupOptions,
  createAccountLookup,
  DEFAULT_ACCOUNT,
} from './service-account-lookup.ts';
import {
  ephemeralSecretRejection,
  isLimited,
  mirrorRejection,
  secretRejection,
} from './service-account-secrets.ts';

/** Lifetime of tokens in seconds. Upstream recognizes the tokens of injected volumes by this value. */
const TOKEN_SECONDS = 3607;

type Account = DeepReadonly<ServiceAccount>;

/**
 * Creates the projected volume with token, CA and namespace
 * (https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#bound-service-account-token-volume).
 */
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

/**
 * Mounts the token in each container that mounts nothing else at the token's path. Adds the token volume if
 * the pod has none.
 */
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

/** Function that throws the rejection of a pod that may not use its Secrets. */
type SecretCheck = (
  request: DeepReadonly<AdmissionRequest>,
  pod: DeepReadonly<Pod>,
  signal: AbortSignal,
) => Promise<void>;

function createSecretCheck(
  v: Vocabulary,
  accountOf: AccountLookup,
  isMirror: (pod: DeepReadonly<Pod>) => boolean,
): SecretCheck {
  const objection = async (...[request, pod, signal]: Parameters<SecretCheck>) => {
    const { namespace, subresource } = request;
    const { metadata, spec } = pod;
    if (spec === undefined) return undefined;
    if (subresource === '' && isMirror(pod)) return mirrorRejection(spec);
    const { serviceAccountName: name = '' } = spec;
    if (name === '') return `no service account specified for pod ${namespace}/${metadata?.name ?? ''}`;
    const account = await accountOf(request, name, signal);
    if (!isLimited(account, v.enforceMountableSecrets)) return undefined;
    return (subresource === '' ? secretRejection : ephemeralSecretRejection)(spec, account);
  };
  return async (request, pod, signal) => {
    const message = await objection(request, pod, signal);
    if (message !== undefined) throw rejection(request, v, message);
  };
}

/** True if a token is mounted in the pod. The pod's setting takes precedence over the account's. */
const wantsToken = (spec: DeepReadonly<PodSpec>, account: Account): boolean =>
  spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;

const isPods = coreKind('pods');

/**
 * Creates a plugin that sets the service account, token volume and pull Secrets of new pods
 * (https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#serviceaccount). It rejects
 * pods whose account does not exist or does not allow their Secrets, even those of ephemeral containers.
 * Existing pods are not changed.
 */
export function createServiceAccountAdmission(options: AccountLookupOptions): AdmissionPlugin {
  const { vocabulary: v, random } = options;
  const mirrorAnnotation = v.key('', 'config.mirror');
  const isMirror = (pod: DeepReadonly<Pod>): boolean =>
    Object.hasOwn(pod.metadata?.annotations ?? {}, mirrorAnnotation);
  const accountOf = createAccountLookup(options);
  const check = createSecretCheck(v, accountOf, isMirror);

  async function complete(request: AdmissionRequest, spec: PodSpec, signal: AbortSignal): Promise<void> {
    const name = spec.serviceAccountName || DEFAULT_ACCOUNT;
    spec.serviceAccountName = name;
    spec.serviceAccount = name;
    const account = await accountOf(request, name, signal);
    if (wantsToken(spec, account)) mountToken(spec, v, random);
    if ((spec.imagePullSecrets ?? []).length === 0 && (account.imagePullSecrets ?? []).length > 0)
      spec.imagePullSecrets = (account.imagePullSecrets ?? []).map((reference) => ({ ...reference }));
  }

  return {
    name: 'ServiceAccount',
    operations: ['CREATE', 'UPDATE'],
    concerns: isPods,
    async mutate(request, signal) {
      const pod = request.object as Pod | undefined;
      if (!isPods(request.kind) || request.operation !== 'CREATE' || request.subresource !== '') return;
      if (pod?.spec === undefined) return;
      const cancelled = signalOf(signal);
      if (!isMirror(pod)) await complete(request, pod.spec, cancelled);
      // The check runs in both phases: before later plugins process the pod, and after they have changed it.
      await check(request, pod, cancelled);
    },
    async validate(request, signal) {
      const { operation, subresource } = request;
      const pod = request.object as DeepReadonly<Pod> | undefined;
      if (!isPods(request.kind) || pod === undefined) return;
      const isNew = operation === 'CREATE' && subresource === '';
      if (!isNew && !(operation === 'UPDATE' && subresource === 'ephemeralcontainers')) return;
      await check(request, pod, signalOf(signal));
    },
  };
}
