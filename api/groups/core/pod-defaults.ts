import type {
  Container,
  EphemeralContainer,
  HTTPGetAction,
  Lifecycle,
  Probe,
} from '../../types/core-v1-container.ts';
import type { PodSpec } from '../../types/core-v1-pod.ts';
import type { Volume } from '../../types/core-v1-volume.ts';
import type { DownwardAPIVolumeFile } from '../../types/core-v1-volume-files.ts';
import { tagOf } from './image-reference.ts';
import { defaultVolumeSource } from './volume-source.ts';

/** Default permissions of files in volumes, octal 0644. */
const FILE_MODE = 420;
const TOKEN_SECONDS = 3600;
const DEFAULT_SCHEDULER = 'default-scheduler';

/**
 * Sets the defaults of release 1.24 in the spec of a pod or pod template, in place. `requests` is true to
 * derive requests from limits, which upstream does only in pods.
 */
export function defaultPodSpec(spec: PodSpec, options: { readonly requests: boolean }): void {
  spec.dnsPolicy ||= 'ClusterFirst';
  spec.restartPolicy ||= 'Always';
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName ||= DEFAULT_SCHEDULER;
  spec.securityContext ??= {};
  if (spec.serviceAccountName) spec.serviceAccount = spec.serviceAccountName;
  else if (spec.serviceAccount) spec.serviceAccountName = spec.serviceAccount;
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
  const regular = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  for (const container of regular) {
    defaultContainer(container);
    if (options.requests) requestLimits(container);
  }
  for (const container of spec.ephemeralContainers ?? []) defaultContainer(container);
  if (spec.hostNetwork === true) regular.forEach(openHostPorts);
}

function defaultContainer(container: Container | EphemeralContainer): void {
  container.terminationMessagePath ||= '/dev/termination-log';
  container.terminationMessagePolicy ||= 'File';
  container.imagePullPolicy ||= tagOf(container.image ?? '') === 'latest' ? 'Always' : 'IfNotPresent';
  // The feature gate for other values is off.
  if (container.securityContext?.procMount !== undefined) container.securityContext.procMount = 'Default';
  for (const port of container.ports ?? []) port.protocol ||= 'TCP';
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom?.fieldRef) valueFrom.fieldRef.apiVersion ||= 'v1';
    defaultDivisor(valueFrom?.resourceFieldRef);
  }
  defaultProbe(container.livenessProbe);
  defaultProbe(container.readinessProbe);
  defaultProbe(container.startupProbe);
  defaultLifecycle(container.lifecycle);
}

function defaultDivisor(source: { divisor?: string } | undefined): void {
  if (source) source.divisor ??= '0';
}

function defaultProbe(probe: Probe | undefined): void {
  if (probe === undefined) return;
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  defaultHttpGet(probe.httpGet);
  if (probe.grpc) probe.grpc.service ??= '';
}

function defaultHttpGet(action: HTTPGetAction | undefined): void {
  if (action === undefined) return;
  action.path ||= '/';
  action.scheme ||= 'HTTP';
}

function defaultLifecycle(lifecycle: Lifecycle | undefined): void {
  defaultHttpGet(lifecycle?.postStart?.httpGet);
  defaultHttpGet(lifecycle?.preStop?.httpGet);
}

/** Sets missing requests to the values of the limits. */
function requestLimits(container: Container): void {
  const { resources } = container;
  if (resources?.limits === undefined) return;
  resources.requests = { ...resources.limits, ...resources.requests };
}

function openHostPorts(container: Container): void {
  for (const port of container.ports ?? []) port.hostPort ||= port.containerPort;
}

function defaultVolume(volume: Volume): void {
  const { secret, configMap, downwardAPI, projected } = volume;
  if (isSourceless(volume)) volume.emptyDir = {};
  if (secret) secret.defaultMode ??= FILE_MODE;
  if (configMap) configMap.defaultMode ??= FILE_MODE;
  if (downwardAPI) {
    downwardAPI.defaultMode ??= FILE_MODE;
    downwardAPI.items?.forEach(defaultDownwardFile);
  }
  if (projected) {
    projected.defaultMode ??= FILE_MODE;
    for (const source of projected.sources ?? []) {
      source.downwardAPI?.items?.forEach(defaultDownwardFile);
      if (source.serviceAccountToken) source.serviceAccountToken.expirationSeconds ??= TOKEN_SECONDS;
    }
  }
  defaultVolumeSource(volume);
  const claim = volume.ephemeral?.volumeClaimTemplate?.spec;
  if (claim) claim.volumeMode ??= 'Filesystem';
}

/** True if a volume has no source. Such a volume is defaulted to an empty directory. */
const isSourceless = (volume: Volume): boolean =>
  !Object.entries(volume).some(([key, each]) => key !== 'name' && each !== undefined);

function defaultDownwardFile(file: DownwardAPIVolumeFile): void {
  if (file.fieldRef) file.fieldRef.apiVersion ||= 'v1';
  defaultDivisor(file.resourceFieldRef);
}
