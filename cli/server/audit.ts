import type { Vocabulary } from '../../api/vocabulary/index.ts';
import {
  AUDIT_GROUP,
  AUDIT_VERSION,
  type AuditBackend,
  type ReportLost,
  createBatching,
  createLogBackend,
  createLossReport,
  createRotatingFile,
  createStandardOutputSink,
  createTruncation,
  createWebhookBackend,
  ignoringLosses,
  parsePolicy,
  unionOf,
} from '../../apiserver/audit/index.ts';
import type { Remote } from '../../apiserver/outbound/index.ts';
import type { ApiServerOptions } from '../../apiserver/server.ts';
import type { Environment } from '../../base/environment.ts';
import { messageOf } from '../../base/errors/index.ts';
import type { Outbound } from '../../base/http/index.ts';
import type { auditFlags } from './audit-flags.ts';
import { readParsed } from '../files/files.ts';
import { type FlagValues, UsageError } from '../flags/flags.ts';
import { readRemote } from '../program/remote.ts';

export type AuditFlags = FlagValues<typeof auditFlags>;

interface Surroundings extends Environment {
  readonly vocabulary: Vocabulary;
  readonly outbound: Outbound;
}

const MEGABYTE = 1024 * 1024;
const DEFAULT_MEGABYTES = 100;

/**
 * Reads the audit flags and their files. Returns undefined if the flags request no auditing. Throws
 * `CodedError` for an invalid policy or client configuration, and `UsageError` for flags that exclude each
 * other.
 */
export async function readAudit(
  flags: AuditFlags,
  surroundings: Surroundings,
): Promise<ApiServerOptions['audit']> {
  const { vocabulary, log } = surroundings;
  checkFlags(flags, vocabulary);
  const file = flags['audit-policy-file'];
  const isLogged = flags['audit-log-path'] !== '';
  const webhookFile = flags['audit-webhook-config-file'];
  if (file === '') {
    if (isLogged || webhookFile !== '')
      log.warn({}, 'no audit policy file provided, no events will be recorded');
    return undefined;
  }
  const policy = await readParsed(file, 'an audit policy', (text) => parsePolicy(text, vocabulary));
  const remote = webhookFile === '' ? undefined : await readRemote(webhookFile, surroundings);
  if (!isLogged && remote === undefined) return undefined;
  return (metrics) => {
    const lost = createLossReport(metrics, log);
    return {
      policy,
      backend: unionOf([
        ...(isLogged ? [logOf(flags, surroundings, lost)] : []),
        ...(remote === undefined ? [] : [webhookOf(flags, remote, surroundings, lost)]),
      ]),
    };
  };
}

function checkFlags(flags: AuditFlags, vocabulary: Vocabulary): void {
  const known = vocabulary.apiVersion(AUDIT_GROUP, AUDIT_VERSION);
  for (const name of ['log', 'webhook'] as const) {
    const version = flags[`audit-${name}-version`];
    if (version !== '' && version !== known)
      throw new UsageError(
        `invalid value ${JSON.stringify(version)} for --audit-${name}-version: expected ${known}`,
      );
    const event = flags[`audit-${name}-truncate-max-event-size`];
    const batch = flags[`audit-${name}-truncate-max-batch-size`];
    if (batch < event)
      throw new UsageError(
        `--audit-${name}-truncate-max-batch-size is ${batch}: expected at least --audit-${name}-truncate-max-event-size, ${event}`,
      );
  }
}

function logOf(flags: AuditFlags, surroundings: Surroundings, lost: ReportLost): AuditBackend {
  const { vocabulary, clock, log } = surroundings;
  const path = flags['audit-log-path'];
  const sink =
    path === '-'
      ? createStandardOutputSink()
      : createRotatingFile({
          path,
          maxBytes: (flags['audit-log-maxsize'] || DEFAULT_MEGABYTES) * MEGABYTE,
          maxBackups: flags['audit-log-maxbackup'],
          maxAgeDays: flags['audit-log-maxage'],
          compress: flags['audit-log-compress'],
          clock,
          onError: (thrown) => log.warn({ reason: messageOf(thrown) }, 'failed to rotate old audit logs'),
        });
  const backend = createLogBackend({ sink, format: flags['audit-log-format'], vocabulary, lost });
  return inMode('log', flags, backend, surroundings, lost);
}

function webhookOf(
  flags: AuditFlags,
  remote: Remote,
  surroundings: Surroundings,
  lost: ReportLost,
): AuditBackend {
  const initialBackoffMs = flags['audit-webhook-initial-backoff'];
  const backend = createWebhookBackend({ ...surroundings, remote, lost, initialBackoffMs });
  return inMode('webhook', flags, backend, surroundings, lost);
}

/** Wraps a backend as its flags request: with truncation, then buffered, blocking or strict. */
function inMode(
  name: 'log' | 'webhook',
  flags: AuditFlags,
  backend: AuditBackend,
  { vocabulary, clock }: Surroundings,
  lost: ReportLost,
): AuditBackend {
  const fitting = flags[`audit-${name}-truncate-enabled`]
    ? createTruncation({
        backend,
        vocabulary,
        lost,
        maxEventBytes: flags[`audit-${name}-truncate-max-event-size`],
        maxBatchBytes: flags[`audit-${name}-truncate-max-batch-size`],
      })
    : backend;
  switch (flags[`audit-${name}-mode`]) {
    case 'blocking-strict':
      return fitting;
    case 'blocking':
      return ignoringLosses(fitting);
    case 'batch':
      return createBatching({
        backend: fitting,
        clock,
        lost,
        bufferSize: flags[`audit-${name}-batch-buffer-size`],
        maxSize: flags[`audit-${name}-batch-max-size`],
        maxWaitMs: flags[`audit-${name}-batch-max-wait`],
        concurrent: name === 'webhook',
        ...(flags[`audit-${name}-batch-throttle-enable`] && {
          throttle: {
            qps: flags[`audit-${name}-batch-throttle-qps`],
            burst: flags[`audit-${name}-batch-throttle-burst`],
          },
        }),
      });
  }
}
