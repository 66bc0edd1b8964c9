import { ageColumn, column, nameColumn } from '../../kinds/columns.ts';
import type { Column, Strategy } from '../../kinds/kind.ts';
import type { ServiceAccount } from '../../types/core-v1.ts';

/** Reduces references to secrets to their names, because they are always in the account's namespace. */
function keepNames(account: ServiceAccount): void {
  if (account.secrets)
    account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}

/** Hooks of service accounts. */
export const serviceAccountStrategy: Strategy<ServiceAccount> = {
  prepareForCreate: keepNames,
  prepareForUpdate: keepNames,
};

/** Table columns of service accounts. */
export const serviceAccountColumns: readonly Column<ServiceAccount>[] = [
  nameColumn,
  column(
    'Secrets',
    (account) => account.secrets?.length ?? 0,
    'Secrets is the list of secrets allowed to be used by pods running using this ServiceAccount. More info: https://{domain}/docs/concepts/configuration/secret',
  ),
  ageColumn,
];
