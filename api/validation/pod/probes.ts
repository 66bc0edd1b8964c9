import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  forbiddenField,
  invalidField,
  notSupportedField,
  requiredField,
} from '../../status/field-errors.ts';
import type {
  Container,
  HTTPGetAction,
  Lifecycle,
  Probe,
  ProbeHandler,
} from '../../types/core-v1-container.ts';
import { checked } from '../metadata.ts';
import { isHttpHeaderName, isPortName, portMessages } from '../names.ts';
import { nonNegative } from '../numbers.ts';

type Handler = DeepReadonly<ProbeHandler>;

const SCHEMES = ['HTTP', 'HTTPS'];

/**
 * Validates the probes of a container. Liveness and startup probes must have a success threshold of 1. A
 * readiness probe may not have a grace period, because it does not terminate the container.
 */
export function validateProbes(
  { livenessProbe, readinessProbe, startupProbe }: DeepReadonly<Container>,
  path: string,
): FieldErrors {
  const errors: FieldError[] = [];
  for (const [name, probe] of Object.entries({ livenessProbe, readinessProbe, startupProbe })) {
    if (probe === undefined) continue;
    const at = child(path, name);
    errors.push(...validateProbe(probe, at));
    if (name !== 'readinessProbe' && probe.successThreshold !== 1) {
      errors.push(invalidField(child(at, 'successThreshold'), probe.successThreshold ?? 0, 'must be 1'));
    }
    if (name === 'readinessProbe' && probe.terminationGracePeriodSeconds !== undefined) {
      const field = child(at, 'terminationGracePeriodSeconds');
      const seconds = probe.terminationGracePeriodSeconds;
      errors.push(invalidField(field, seconds, 'must not be set for readinessProbes'));
    }
  }
  return errors;
}

function validateProbe(probe: DeepReadonly<Probe>, path: string): FieldErrors {
  const errors: FieldError[] = [...validateHandler(probe, path)];
  const numbers = [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ] as const;
  for (const field of numbers) errors.push(...nonNegative(child(path, field), probe[field]));
  const grace = probe.terminationGracePeriodSeconds;
  if (grace !== undefined && grace <= 0) {
    errors.push(invalidField(child(path, 'terminationGracePeriodSeconds'), grace, 'must be greater than 0'));
  }
  return errors;
}

/** Validates the lifecycle hooks of a container. */
export const validateLifecycle = (
  lifecycle: DeepReadonly<Lifecycle> | undefined,
  path: string,
): FieldErrors => [
  ...(lifecycle?.postStart ? validateHandler(lifecycle.postStart, child(path, 'postStart')) : []),
  ...(lifecycle?.preStop ? validateHandler(lifecycle.preStop, child(path, 'preStop')) : []),
];

/** Validates that a handler has exactly one action. */
function validateHandler(handler: Handler, path: string): FieldErrors {
  const { exec, httpGet, tcpSocket, grpc } = handler;
  const checks: readonly [string, object | undefined, () => FieldErrors][] = [
    [
      'exec',
      exec,
      () => ((exec?.command ?? []).length > 0 ? [] : [requiredField(child(path, 'exec', 'command'))]),
    ],
    ['httpGet', httpGet, () => validateHttpGet(httpGet, child(path, 'httpGet'))],
    ['tcpSocket', tcpSocket, () => validatePort(tcpSocket?.port, child(path, 'tcpSocket', 'port'))],
    ['grpc', grpc, () => validatePort(grpc?.port, child(path, 'grpc', 'port'))],
  ];
  const given = checks.filter(([, action]) => action !== undefined);
  if (given.length === 0) return [requiredField(path, 'must specify a handler type')];
  return given.flatMap(([name, , check], at) =>
    at === 0 ? check() : [forbiddenField(child(path, name), 'may not specify more than 1 handler type')],
  );
}

function validateHttpGet(action: DeepReadonly<HTTPGetAction> | undefined, path: string): FieldErrors {
  const scheme = action?.scheme ?? '';
  return [
    ...(action?.path ? [] : [requiredField(child(path, 'path'))]),
    ...validatePort(action?.port, child(path, 'port')),
    ...(SCHEMES.includes(scheme) ? [] : [notSupportedField(child(path, 'scheme'), scheme, SCHEMES)]),
    ...(action?.httpHeaders ?? []).flatMap(({ name = '' }) =>
      checked(child(path, 'httpHeaders'), name, isHttpHeaderName),
    ),
  ];
}

/** Validates a port number or the name of one of the container's ports. */
function validatePort(port: number | string | undefined, field: string): FieldErrors {
  if (typeof port === 'string') return checked(field, port, isPortName);
  return portMessages(port ?? 0).map((message) => invalidField(field, port ?? 0, message));
}
