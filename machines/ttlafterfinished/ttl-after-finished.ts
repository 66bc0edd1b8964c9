import { createExpiryMachine } from '../expiry/expiry.ts';

/** Deletes a finished Job once its time to live is over. */
export const ttlAfterFinishedMachine = createExpiryMachine({
  id: 'ttlafterfinished',
  until: 'end of the time to live after its end',
});
