import type { AdmissionPlugin } from '../request.ts';

/** Has nothing against anything. Deprecated upstream: kept for those whose flags name it. */
export const createAlwaysAdmit = (): AdmissionPlugin => ({
  name: 'AlwaysAdmit',
  operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
  concerns: () => false,
});
