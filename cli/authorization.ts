import type { Vocabulary } from '../api/vocabulary/index.ts';
import type { AuthorizationSettings } from '../apiserver/assembly/index.ts';
import { knownModes, modeFaults, parseAbacPolicies } from '../apiserver/authorization/index.ts';
import type { Environment } from '../base/environment.ts';
import { readRequired } from './files.ts';
import type { apiServerCommandFlags } from './flag-tables.ts';
import { type FlagValues, UsageError } from './flags.ts';
import { readRemote } from './remote.ts';

/** Reads the authorization flags and their files. Throws `UsageError` for modes that exclude each other. */
export async function readAuthorization(
  flags: FlagValues<typeof apiServerCommandFlags>,
  vocabulary: Vocabulary,
  { clock, log }: Environment,
): Promise<AuthorizationSettings> {
  const policyFile = flags['authorization-policy-file'];
  const webhookFile = flags['authorization-webhook-config-file'];
  const modes = flags['authorization-mode'];
  const faults = modeFaults(modes, { policy: policyFile, webhookConfig: webhookFile });
  if (faults.length > 0) throw new UsageError(faults.join('; '));
  if (flags['anonymous-auth'] && modes.includes('AlwaysAllow'))
    log.warn({}, 'requests without credentials are refused in authorization mode AlwaysAllow');
  const read =
    policyFile === '' ? undefined : parseAbacPolicies(await readRequired(policyFile), policyFile, vocabulary);
  if (read !== undefined && read.unversionedLines > 0)
    log.warn({ policyFile, lines: read.unversionedLines }, 'the policy file has rules without a version');
  return {
    modes: knownModes(modes),
    ...(read && { policies: read.policies }),
    ...(webhookFile !== '' && {
      webhook: {
        remote: await readRemote(webhookFile, { vocabulary, clock }),
        version: flags['authorization-webhook-version'],
        authorizedTtlMs: flags['authorization-webhook-cache-authorized-ttl'],
        unauthorizedTtlMs: flags['authorization-webhook-cache-unauthorized-ttl'],
      },
    }),
  };
}
