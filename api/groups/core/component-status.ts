import { column, nameColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly } from '../../kinds/kind.ts';
import type { ComponentStatus } from '../../types/core-v1-workload.ts';

const healthOf = ({ conditions }: DeepReadonly<ComponentStatus>) =>
  conditions?.find(({ type }) => type === 'Healthy');

export const componentStatusColumns: readonly Column<ComponentStatus>[] = [
  nameColumn,
  column('Status', (component) => {
    const health = healthOf(component);
    if (health === undefined) return 'Unknown';
    return health.status === 'True' ? 'Healthy' : 'Unhealthy';
  }),
  column('Message', (component) => healthOf(component)?.message ?? ''),
  column('Error', (component) => healthOf(component)?.error ?? ''),
];
