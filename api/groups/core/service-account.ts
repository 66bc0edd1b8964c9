import { ageColumn, column, nameColumn } from '../../kinds/columns.ts';
import type { Column, Strategy } from '../../kinds/kind.ts';
import type { ServiceAccount } from '../../types/core-v1.ts';

/** Of its secrets an account keeps the names alone: they are always its own namespace's. */
function keepNames(account: ServiceAccount): void {
  if (account.secrets)
    account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}

export const serviceAccountStrategy: Strategy<ServiceAccount> = {
  prepareForCreate: keepNames,
  prepareForUpdate: keepNames,
};

export const serviceAccountColumns: readonly Column<ServiceAccount>[] = [
  nameColumn,
  column(
    'Secrets',
    (account) => account.secrets?.length ?? 0,
    'Secrets is the list of secrets allowed to be used by pods running using this ServiceAccount. More info: https://{domain}/docs/concepts/configuration/secret',
  ),
  ageColumn,
];
