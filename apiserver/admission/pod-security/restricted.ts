import type { DeepReadonly } from '../../../api/kinds/index.ts';
import type { Volume } from '../../../api/types/core-v1-volume.ts';
import { addedCapabilities } from './baseline.ts';
import {
  type Check,
  type CheckSeries,
  containersText,
  namesWhere,
  plural,
  quoted,
  settersText,
  sorted,
} from './check.ts';
import { isPodConfined, seccompSetters } from './seccomp.ts';

const allowPrivilegeEscalation: Check = (subject) => {
  const names = namesWhere(
    subject,
    ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false,
  );
  if (names.length === 0) return undefined;
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${containersText(names)} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

const ALLOWED_CAPABILITIES = new Set(['NET_BIND_SERVICE']);

const capabilities: Check = (subject) => {
  const keeping = namesWhere(
    subject,
    ({ securityContext }) => !(securityContext?.capabilities?.drop ?? []).includes('ALL'),
  );
  const added = addedCapabilities(subject, ALLOWED_CAPABILITIES);
  const details = [
    ...(keeping.length > 0
      ? [`${containersText(keeping)} must set securityContext.capabilities.drop=["ALL"]`]
      : []),
    ...(added === undefined ? [] : [added]),
  ];
  return details.length === 0
    ? undefined
    : { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

const ALLOWED_VOLUMES = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
] as const;
const RESTRICTED_VOLUMES = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
] as const;

/** Returns the type of a restricted volume. Returns undefined for an allowed volume. */
const restrictedType = (volume: DeepReadonly<Volume>): string | undefined =>
  ALLOWED_VOLUMES.some((type) => volume[type] !== undefined)
    ? undefined
    : (RESTRICTED_VOLUMES.find((type) => volume[type] !== undefined) ?? 'unknown');

const restrictedVolumes: Check = ({ spec }) => {
  const bad = (spec.volumes ?? []).flatMap((volume) => {
    const type = restrictedType(volume);
    return type === undefined ? [] : [{ name: volume.name, type }];
  });
  if (bad.length === 0) return undefined;
  const names = bad.map(({ name }) => name);
  const types = sorted(bad.map(({ type }) => type));
  return {
    reason: 'restricted volume types',
    detail:
      `${plural('volume', 'volumes', names.length)} ${quoted(names)} ${plural('uses', 'use', names.length)} ` +
      `${plural('restricted volume type', 'restricted volume types', types.length)} ${quoted(types)}`,
  };
};

const runAsNonRoot: Check = (subject) => {
  const reason = 'runAsNonRoot != true';
  const ofPod = subject.spec.securityContext?.runAsNonRoot;
  const setters = settersText(
    ofPod === false,
    namesWhere(subject, ({ securityContext }) => securityContext?.runAsNonRoot === false),
  );
  if (setters !== undefined)
    return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` };
  if (ofPod === true) return undefined;
  const silent = namesWhere(subject, ({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  if (silent.length === 0) return undefined;
  return {
    reason,
    detail: `pod or ${containersText(silent)} must set securityContext.runAsNonRoot=true`,
  };
};

const runAsUser: Check = (subject) => {
  const setters = settersText(
    Number(subject.spec.securityContext?.runAsUser ?? -1) === 0,
    namesWhere(subject, ({ securityContext }) => Number(securityContext?.runAsUser ?? -1) === 0),
  );
  return setters === undefined
    ? undefined
    : { reason: 'runAsUser=0', detail: `${setters} must not set runAsUser=0` };
};

const seccompProfile: Check = (subject) => {
  const reason = 'seccompProfile';
  const set = seccompSetters(subject);
  if (set !== undefined) return { reason, detail: set };
  if (isPodConfined(subject)) return undefined;
  const silent = namesWhere(subject, ({ securityContext }) => securityContext?.seccompProfile === undefined);
  if (silent.length === 0) return undefined;
  return {
    reason,
    detail: `pod or ${containersText(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
};

const since = (minor: number, id: string, check: Check, overrides: readonly string[] = []): CheckSeries => ({
  id,
  versions: [{ since: minor, check, overrides }],
});

/**
 * Checks of the level `restricted`
 * (https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted). They are sorted by ID,
 * as in upstream; messages list violations in this order.
 */
export const RESTRICTED_CHECKS: readonly CheckSeries[] = [
  since(8, 'allowPrivilegeEscalation', allowPrivilegeEscalation),
  since(22, 'capabilities_restricted', capabilities, ['capabilities_baseline']),
  since(0, 'restrictedVolumes', restrictedVolumes, ['hostPathVolumes']),
  since(0, 'runAsNonRoot', runAsNonRoot),
  since(23, 'runAsUser', runAsUser),
  since(19, 'seccompProfile_restricted', seccompProfile, ['seccompProfile_baseline']),
];
