import type { AdmissionPlugin } from '../request.ts';

/**
 * Creates a plugin that admits every request. Deprecated upstream; it exists for configurations that name it.
 */
export const createAlwaysAdmit = (): AdmissionPlugin => ({
  name: 'AlwaysAdmit',
  operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
  concerns: () => false,
});
