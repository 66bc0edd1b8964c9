import { column, nameColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly } from '../../kinds/kind.ts';
import type { ComponentStatus } from '../../types/core-v1-workload.ts';

const healthOf = ({ conditions }: DeepReadonly<ComponentStatus>) =>
  conditions?.find(({ type }) => type === 'Healthy');

/** Table columns of ComponentStatuses. */
export const componentStatusColumns: readonly Column<ComponentStatus>[] = [
  nameColumn,
  column(
    'Status',
    (component) => {
      const health = healthOf(component);
      if (health === undefined) return 'Unknown';
      return health.status === 'True' ? 'Healthy' : 'Unhealthy';
    },
    'Status of the component conditions',
  ),
  column('Message', (component) => healthOf(component)?.message ?? '', 'Message of the component conditions'),
  column('Error', (component) => healthOf(component)?.error ?? '', 'Error of the component conditions'),
];
