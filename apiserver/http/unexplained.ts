import { ApiError } from '../../api/status/api-error.ts';

/** Upstream gives these no reason. */
export const unexplained = (message: string): ApiError =>
  new ApiError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
