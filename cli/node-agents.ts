import type { NodeAgents } from '../apiserver/subresources/node-agents.ts';
import { requireCertificates } from './aggregation.ts';
import { readParsed } from './files.ts';
import type { apiServerCommandFlags } from './flag-tables.ts';
import { type FlagValues, UsageError } from './flags.ts';
import { type LiveFiles, readKeyPair } from './live-files.ts';
import type { Provisioned } from './provision.ts';

/** How the agents of nodes are reached, by the flags; what they name is read anew while the server runs. */
export async function readNodeAgents(
  flags: FlagValues<typeof apiServerCommandFlags>,
  { agentClient }: Provisioned,
  live: LiveFiles,
): Promise<NodeAgents> {
  const [certificate, key] = [flags['nodeagent-client-certificate'], flags['nodeagent-client-key']];
  if ((certificate === '') !== (key === ''))
    throw new UsageError('--nodeagent-client-certificate and --nodeagent-client-key go together');
  const caFile = flags['nodeagent-certificate-authority'];
  const readCa = (): Promise<string> => readParsed(caFile, 'PEM certificates', requireCertificates);
  return {
    addressTypes: flags['nodeagent-preferred-address-types'],
    credential:
      certificate === ''
        ? () => agentClient
        : await live.follow('client certificate for agents', () => readKeyPair(certificate, key)),
    ca: caFile === '' ? undefined : await live.follow('authorities of agents', readCa),
  };
}
