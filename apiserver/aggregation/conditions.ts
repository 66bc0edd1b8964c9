import { localCondition } from '../../api/groups/apiregistration/api-service.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { APIService, APIServiceCondition } from '../../api/types/apiregistration-v1.ts';
import type { Endpoints, Service } from '../../api/types/core-v1-service.ts';
import { toTime } from '../../base/clock/index.ts';
import { readyAddresses } from '../outbound/service-resolver.ts';
import type { RemoteService } from './remote-services.ts';

/** The `Available` condition of an APIService without its time. Reasons and messages are upstream's. */
export type AvailabilityFinding = Pick<APIServiceCondition, 'status' | 'reason' | 'message'>;

/** Finding for a server that passed all checks. */
export const passed: AvailabilityFinding = { status: 'True', reason: 'Passed', message: 'all checks passed' };

/** Returns the finding for a server whose discovery failed. */
export const failedDiscovery = (message: string): AvailabilityFinding => ({
  status: 'False',
  reason: 'FailedDiscoveryCheck',
  message,
});

/**
 * Returns the finding for a Service and its Endpoints without calling the server. Returns undefined if neither
 * has a fault.
 */
export function serviceFinding(
  { service: { namespace, name, port } }: RemoteService,
  service: DeepReadonly<Service> | undefined,
  endpoints: DeepReadonly<Endpoints> | undefined,
): AvailabilityFinding | undefined {
  const where = `service/${name} in ${JSON.stringify(namespace)}`;
  const not = (reason: string, message: string): AvailabilityFinding => ({
    status: 'False',
    reason,
    message,
  });
  if (service === undefined) return not('ServiceNotFound', `${where} is not present`);
  if ((service.spec?.type ?? 'ClusterIP') !== 'ClusterIP') return undefined;
  const servicePort = service.spec?.ports?.find((each) => each.port === port);
  if (servicePort === undefined) return not('ServicePortError', `${where} is not listening on port ${port}`);
  if (endpoints === undefined) return not('EndpointsNotFound', `cannot find endpoints for ${where}`);
  if (readyAddresses(endpoints, servicePort).length > 0) return undefined;
  const portName = JSON.stringify(servicePort.name ?? '');
  return not('MissingEndpoints', `endpoints for ${where} have no addresses with port name ${portName}`);
}

/**
 * Returns the APIService with the finding as its `Available` condition. Returns undefined if the condition is
 * already equal.
 */
export function withFinding(
  current: DeepReadonly<APIService>,
  finding: AvailabilityFinding | 'local',
  nowMs: number,
): APIService | undefined {
  const conditions = current.status?.conditions ?? [];
  const known = conditions.find(({ type }) => type === 'Available');
  const wanted: APIServiceCondition =
    finding === 'local'
      ? localCondition(nowMs)
      : { type: 'Available', lastTransitionTime: toTime(nowMs), ...finding };
  const { status, reason, message } = wanted;
  if (known?.status === status && known.reason === reason && known.message === message) return undefined;
  if (known?.status === status && known.lastTransitionTime !== undefined)
    wanted.lastTransitionTime = known.lastTransitionTime;
  const others = conditions.filter(({ type }) => type !== 'Available');
  return structuredClone({
    ...current,
    status: { ...current.status, conditions: [...others, wanted] },
  }) as APIService;
}
