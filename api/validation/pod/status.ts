import { isIPv6 } from 'node:net';
import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  fieldError,
  forbiddenField,
  index,
} from '../../status/field-errors.ts';
import type { Pod, PodStatus } from '../../types/core-v1-pod.ts';
import { invalidTyped } from '../go-text/dump.ts';
import { duplicateLiteral, goString, goStruct } from '../go-text/values.ts';
import { checked } from '../metadata.ts';
import { isDns1123Subdomain, isIpAddress, isQualifiedName } from '../names.ts';
import { repeats } from '../repeats.ts';

type Frozen = DeepReadonly<Pod>;
type Statuses = DeepReadonly<PodStatus>['containerStatuses'];

const OWN_CONDITIONS = new Set(['PodScheduled', 'Ready', 'Initialized']);

/**
 * Checks the rules of `ValidatePodStatusUpdate` in Kubernetes 1.24. Upstream's error paths of conditions
 * begin with `metadata`.
 */
export function validatePodStatus({ status: next }: Frozen, { spec, status: previous }: Frozen): FieldErrors {
  const nominated = next?.nominatedNodeName ?? '';
  const policy = spec?.restartPolicy;
  return [
    ...(next?.conditions ?? []).flatMap(({ type = '' }, at) =>
      OWN_CONDITIONS.has(type)
        ? []
        : checked(child(index('metadata.conditions', at), 'Type'), type, isQualifiedName),
    ),
    ...(nominated === '' || nominated === previous?.nominatedNodeName
      ? []
      : checked('status.nominatedNodeName', nominated, isDns1123Subdomain)),
    ...validateTermination(next?.containerStatuses, previous?.containerStatuses, 'containerStatuses', policy),
    ...validateTermination(
      next?.initContainerStatuses,
      previous?.initContainerStatuses,
      'initContainerStatuses',
      policy,
    ),
    ...validateTermination(
      next?.ephemeralContainerStatuses,
      previous?.ephemeralContainerStatuses,
      'ephemeralContainerStatuses',
      'Never',
    ),
    ...validateAddresses((next?.podIPs ?? []).map(({ ip }) => ip ?? '')),
  ];
}

/** Validates that a terminated container stays terminated if the restart policy does not restart it. */
function validateTermination(
  next: Statuses,
  previous: Statuses,
  list: string,
  policy: string | undefined,
): FieldErrors {
  if (policy === 'Always') return [];
  const running = new Set(
    (next ?? []).filter(({ state }) => state?.terminated === undefined).map(({ name }) => name),
  );
  return (previous ?? []).flatMap(({ name, state }, at) => {
    const ended = state?.terminated;
    if (ended === undefined || (ended.exitCode !== 0 && policy === 'OnFailure')) return [];
    const detail = 'may not be transitioned to non-terminated state';
    return running.has(name)
      ? [forbiddenField(child(index(child('status', list), at), 'state'), detail)]
      : [];
  });
}

/** Validates that there is at most one address of each family. */
function validateAddresses(addresses: readonly string[]): FieldErrors {
  const path = 'status.podIPs';
  const errors: FieldError[] = addresses.flatMap((address, at) =>
    checked(index(path, at), address, isIpAddress),
  );
  if (addresses.length < 2) return errors;
  const families = new Set(addresses.map(isIPv6));
  if (errors.length > 0) {
    const message = 'Internal error: failed to check for dual stack with error:ip <nil> is invalid';
    errors.push(fieldError('InternalError', path, message));
  }
  if (errors.length > 0 || families.size !== 2 || addresses.length > 2) {
    const given = addresses.map((ip) => ({ ip }));
    const detail = 'may specify no more than one IP for each IP family';
    errors.push(invalidTyped(path, '[]core.PodIP', given, detail));
  }
  const repeated = [...repeats(addresses)].map((at) =>
    duplicateLiteral(index(path, at), goStruct('core.PodIP', { IP: goString(addresses[at]) })),
  );
  return [...errors, ...repeated];
}
