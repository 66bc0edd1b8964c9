import { createExpiryMachine } from '../expiry/expiry.ts';

/** Deletes a Job when its time to live after its end is over. */
export const ttlAfterFinishedMachine = createExpiryMachine({
  id: 'ttlafterfinished',
  until: 'end of the time to live after its end',
});
