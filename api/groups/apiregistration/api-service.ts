import { carryOver } from '../../kinds/carry-over.ts';
import { ageColumn, column, nameColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, Strategy } from '../../kinds/kind.ts';
import { toTime } from '../../../base/clock/index.ts';
import type { APIService, APIServiceCondition } from '../../types/apiregistration-v1.ts';
import { validateApiService, validateApiServiceStatus } from '../../validation/control-plane/api-service.ts';
import { statusAloneSubresource } from '../status-subresource.ts';

const SERVICE_PORT = 443;

/** Returns the condition of a group version that this server serves itself. */
export const localCondition = (nowMs: number): APIServiceCondition => ({
  type: 'Available',
  status: 'True',
  lastTransitionTime: toTime(nowMs),
  reason: 'Local',
  message: 'Local APIServices are always available',
});

/** Strategy of APIServices. */
export const apiServiceStrategy: Strategy<APIService> = {
  defaults({ spec }) {
    if (spec?.service) spec.service.port ??= SERVICE_PORT;
  },
  prepareForCreate(next, { nowMs }) {
    next.status = next.spec?.service ? {} : { conditions: [localCondition(nowMs)] };
  },
  prepareForUpdate: (next, previous) => carryOver(next, previous, 'status'),
  validate: (next) => validateApiService(next),
};

const status = statusAloneSubresource<APIService>((next) => validateApiServiceStatus(next));

/** Subresources of APIServices. */
export const apiServiceSubresources = { status };

/** Returns the condition that states whether the server behind a group version is available. */
export const availabilityOf = ({
  status,
}: DeepReadonly<APIService>): DeepReadonly<APIServiceCondition> | undefined =>
  status?.conditions?.find(({ type }) => type === 'Available');

/** Table columns of APIServices. */
export const apiServiceColumns: readonly Column<APIService>[] = [
  nameColumn,
  column(
    'Service',
    ({ spec }) => (spec?.service ? `${spec.service.namespace ?? ''}/${spec.service.name ?? ''}` : 'Local'),
    'The reference to the service that hosts this API endpoint.',
  ),
  column(
    'Available',
    (apiService) => {
      const condition = availabilityOf(apiService);
      if (condition === undefined) return 'Unknown';
      const { status: known, reason = '' } = condition;
      return known === 'True' || reason === '' ? known : `${known} (${reason})`;
    },
    'Whether this service is available.',
  ),
  ageColumn,
];
