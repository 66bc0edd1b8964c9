import { localCondition } from '../../api/groups/apiregistration/api-service.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { APIService, APIServiceCondition } from '../../api/types/apiregistration-v1.ts';
import type { Endpoints, Service } from '../../api/types/core-v1-service.ts';
import { toTime } from '../../base/clock/index.ts';
import { readyAddresses } from '../outbound/service-resolver.ts';
import type { RemoteService } from './remote-services.ts';

/** What is known about a server, without the time. Reasons and messages are upstream's. */
export type Verdict = Pick<APIServiceCondition, 'status' | 'reason' | 'message'>;

export const passed: Verdict = { status: 'True', reason: 'Passed', message: 'all checks passed' };

export const failedDiscovery = (message: string): Verdict => ({
  status: 'False',
  reason: 'FailedDiscoveryCheck',
  message,
});

/** What is wrong with the service before anybody has called it; undefined when nothing is. */
export function serviceVerdict(
  { service: { namespace, name, port } }: RemoteService,
  service: DeepReadonly<Service> | undefined,
  endpoints: DeepReadonly<Endpoints> | undefined,
): Verdict | undefined {
  const where = `service/${name} in ${JSON.stringify(namespace)}`;
  const not = (reason: string, message: string): Verdict => ({ status: 'False', reason, message });
  if (service === undefined) return not('ServiceNotFound', `${where} is not present`);
  if ((service.spec?.type ?? 'ClusterIP') !== 'ClusterIP') return undefined;
  const servicePort = service.spec?.ports?.find((each) => each.port === port);
  if (servicePort === undefined) return not('ServicePortError', `${where} is not listening on port ${port}`);
  if (endpoints === undefined) return not('EndpointsNotFound', `cannot find endpoints for ${where}`);
  if (readyAddresses(endpoints, servicePort).length > 0) return undefined;
  const portName = JSON.stringify(servicePort.name ?? '');
  return not('MissingEndpoints', `endpoints for ${where} have no addresses with port name ${portName}`);
}

/** The API service with the verdict as its condition; undefined when it says so already. */
export function withVerdict(
  current: DeepReadonly<APIService>,
  verdict: Verdict | 'local',
  nowMs: number,
): APIService | undefined {
  const conditions = current.status?.conditions ?? [];
  const known = conditions.find(({ type }) => type === 'Available');
  const wanted: APIServiceCondition =
    verdict === 'local'
      ? localCondition(nowMs)
      : { type: 'Available', lastTransitionTime: toTime(nowMs), ...verdict };
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
