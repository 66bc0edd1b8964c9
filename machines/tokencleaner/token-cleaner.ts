import { createExpiryMachine } from '../expiry/expiry.ts';

/** Deletes a bootstrap token once it has expired. */
export const tokenCleanerMachine = createExpiryMachine({
  id: 'tokencleaner',
  until: 'expiration of the token',
});
