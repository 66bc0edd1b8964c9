import type { AdmissionPlugin } from '../request.ts';

/** Refuses nothing. Deprecated upstream; kept for configurations that name it. */
export const createAlwaysAdmit = (): AdmissionPlugin => ({
  name: 'AlwaysAdmit',
  operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
  concerns: () => false,
});
