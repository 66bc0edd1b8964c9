/** Collection of ConfigMaps. */
export const MAPS = '/api/v1/namespaces/default/configmaps';

/** Collection of pods. */
export const PODS = '/api/v1/namespaces/default/pods';

/** Collection of CronJobs. */
export const CRON_JOBS = '/apis/batch/v1/namespaces/default/cronjobs';

/** Collection of CertificateSigningRequests. */
export const REQUESTS = '/apis/certificates.orch.io/v1/certificatesigningrequests';

/** An invalid request and the expected error response. */
export interface Case {
  readonly what: string;
  readonly method?: string;
  readonly path?: string;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly code: number;
  readonly reason: string | undefined;
  /** String or pattern that the message must contain. */
  readonly says: string | RegExp;
}
