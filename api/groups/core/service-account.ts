import { ageColumn, column, nameColumn } from '../../kinds/columns.ts';
import type { Column } from '../../kinds/kind.ts';
import type { ServiceAccount } from '../../types/core-v1.ts';

export const serviceAccountColumns: readonly Column<ServiceAccount>[] = [
  nameColumn,
  column('Secrets', (account) => account.secrets?.length ?? 0),
  ageColumn,
];
