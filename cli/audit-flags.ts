import { type Flag, duration, integer, oneOf, text, toggle } from './flags.ts';

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
    'how events are sent: batch lets no request wait; blocking lets each wait until its event is stored; blocking-strict fails requests whose coming cannot be stored',
  );
const bufferSize = () =>
  integer(10_000, 'events that wait at most in batch mode; more are lost', { min: 1, max: LARGEST });
const batchSize = (fallback: number) =>
  integer(fallback, 'events in a batch at most', { min: 1, max: LARGEST });
const batchWait = (fallback: string) => duration(fallback, 'how long a batch that is not full waits at most');
const throttled = (fallback: boolean) => toggle(fallback, 'whether batches are held to a rate');
const qps = (fallback: number) =>
  rate(fallback, 'batches a second in the long run, where they are held to a rate');
const burst = (fallback: number) =>
  integer(fallback, 'batches at once before the rate holds them back', { min: 1, max: LARGEST });
const truncated = () => toggle(false, 'whether events and batches are kept within a size');
const eventBytes = () =>
  integer(102_400, 'bytes of an event at most: a larger one loses its objects, then is lost', {
    min: 1,
    max: LARGEST,
  });
const batchBytes = () => integer(10_485_760, 'bytes of a batch at most', { min: 1, max: LARGEST });
const version = () => text('', 'version that events are written in; there is one, that of the policy');

/** Flags that select what is recorded about requests, and where. */
export const auditFlags = {
  'audit-policy-file': text('', 'Policy that says what is recorded of which request; without it nothing is'),
  'audit-log-path': text('', 'file that a line is appended to for every event; - for standard output'),
  'audit-log-format': oneOf(['json', 'legacy'], 'json', 'form of those lines'),
  'audit-log-maxage': integer(0, 'days that old audit logs are kept; 0: for good', { min: 0, max: 100_000 }),
  'audit-log-maxbackup': integer(0, 'old audit logs that are kept; 0: all', { min: 0, max: 1_000_000 }),
  'audit-log-maxsize': integer(0, 'megabytes after which the audit log is put aside; 0: 100', {
    min: 0,
    max: 1_000_000,
  }),
  'audit-log-compress': toggle(false, 'whether old audit logs are compressed with gzip'),
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
    'client configuration file of the service that is sent events: clusters says where it is, users what it knows this server by',
  ),
  'audit-webhook-initial-backoff': duration('10s', 'pause before a request that failed is made again'),
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
