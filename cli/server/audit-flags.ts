import { type Flag, duration, integer, oneOf, text, toggle } from '../flags/flags.ts';

const MODES = ['batch', 'blocking', 'blocking-strict'] as const;
const LARGEST = Number.MAX_SAFE_INTEGER;

/** Returns a flag for a number above 0. */
const rate = (fallback: number, help: string): Flag<number> => ({
  kind: 'text',
  help,
  fallback,
  parse: (given) => {
    const value = Number(given);
    if (!/^\d+(\.\d+)?$/.test(given) || value <= 0) throw new Error('expected a number above 0');
    return value;
  },
});

const mode = (fallback: (typeof MODES)[number]) =>
  oneOf(
    MODES,
    fallback,
    'how events are sent: batch delays no request; blocking delays each until its event is stored; blocking-strict also rejects requests whose arrival cannot be stored',
  );
const bufferSize = () =>
  integer(10_000, 'largest number of pending events in batch mode; further events are lost', {
    min: 1,
    max: LARGEST,
  });
const batchSize = (fallback: number) =>
  integer(fallback, 'largest number of events in a batch', { min: 1, max: LARGEST });
const batchWait = (fallback: string) => duration(fallback, 'longest wait of a batch that is not full');
const throttled = (fallback: boolean) => toggle(fallback, 'limit the rate of batches');
const qps = (fallback: number) => rate(fallback, 'sustained batches per second if the rate is limited');
const burst = (fallback: number) =>
  integer(fallback, 'burst of batches above the rate', { min: 1, max: LARGEST });
const truncated = () => toggle(false, 'limit the size of events and batches');
const eventBytes = () =>
  integer(
    102_400,
    'largest event in bytes: a larger one loses its objects, and is dropped if still too large',
    {
      min: 1,
      max: LARGEST,
    },
  );
const batchBytes = () => integer(10_485_760, 'largest batch in bytes', { min: 1, max: LARGEST });
const version = () => text('', 'version of the events; the only one is that of the policy');

/** Flags that select the recorded parts of requests, and the destination of the records. */
export const auditFlags = {
  'audit-policy-file': text('', 'audit policy file; without it nothing is recorded'),
  'audit-log-path': text('', 'audit log file, one line per event; - for standard output'),
  'audit-log-format': oneOf(['json', 'legacy'], 'json', 'format of these lines'),
  'audit-log-maxage': integer(0, 'days for which old audit logs are kept; 0 keeps them forever', {
    min: 0,
    max: 100_000,
  }),
  'audit-log-maxbackup': integer(0, 'number of old audit logs that are kept; 0 keeps all', {
    min: 0,
    max: 1_000_000,
  }),
  'audit-log-maxsize': integer(0, 'size in megabytes at which the audit log is rotated; 0 means 100', {
    min: 0,
    max: 1_000_000,
  }),
  'audit-log-compress': toggle(false, 'compress old audit logs with gzip'),
  'audit-log-mode': mode('blocking'),
  'audit-log-batch-buffer-size': bufferSize(),
  'audit-log-batch-max-size': batchSize(1),
  'audit-log-batch-max-wait': batchWait('0s'),
  'audit-log-batch-throttle-enable': throttled(false),
  'audit-log-batch-throttle-qps': qps(10),
  'audit-log-batch-throttle-burst': burst(15),
  'audit-log-truncate-enabled': truncated(),
  'audit-log-truncate-max-event-size': eventBytes(),
  'audit-log-truncate-max-batch-size': batchBytes(),
  'audit-log-version': version(),
  'audit-webhook-config-file': text(
    '',
    'client configuration of the service that receives events: clusters has its address, users the credential of this server',
  ),
  'audit-webhook-initial-backoff': duration('10s', 'wait before a failed request is retried'),
  'audit-webhook-mode': mode('batch'),
  'audit-webhook-batch-buffer-size': bufferSize(),
  'audit-webhook-batch-max-size': batchSize(400),
  'audit-webhook-batch-max-wait': batchWait('30s'),
  'audit-webhook-batch-throttle-enable': throttled(true),
  'audit-webhook-batch-throttle-qps': qps(10),
  'audit-webhook-batch-throttle-burst': burst(15),
  'audit-webhook-truncate-enabled': truncated(),
  'audit-webhook-truncate-max-event-size': eventBytes(),
  'audit-webhook-truncate-max-batch-size': batchBytes(),
  'audit-webhook-version': version(),
};
