import { ageColumn, column, nameColumn } from '../../kinds/columns.ts';
import type { Column, Strategy } from '../../kinds/kind.ts';
import type { ServiceAccount } from '../../types/core-v1.ts';

/**
 * Reduces references to Secrets to their names, because the Secrets are always in the namespace of the
 * ServiceAccount.
 */
function keepNames(account: ServiceAccount): void {
  if (account.secrets)
    account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}

/** Strategy of ServiceAccounts. */
export const serviceAccountStrategy: Strategy<ServiceAccount> = {
  prepareForCreate: keepNames,
  prepareForUpdate: keepNames,
};

/** Table columns of ServiceAccounts. */
export const serviceAccountColumns: readonly Column<ServiceAccount>[] = [
  nameColumn,
  column(
    'Secrets',
    (account) => account.secrets?.length ?? 0,
    'Secrets is the list of secrets allowed to be used by pods running using this ServiceAccount. More info: https://{domain}/docs/concepts/configuration/secret',
  ),
  ageColumn,
];
