import type { NodeAgents } from '../apiserver/subresources/index.ts';
import { requireCertificates } from './aggregation.ts';
import { readParsed } from './files.ts';
import type { apiServerCommandFlags } from './flag-tables.ts';
import { type FlagValues, filePair } from './flags.ts';
import { type LiveFiles, readKeyPair } from './live-files.ts';
import type { Provisioned } from './provision.ts';

/** Reads how node agents are reached from the flags. Their files are re-read while the server runs. */
export async function readNodeAgents(
  flags: FlagValues<typeof apiServerCommandFlags>,
  { agentClient }: Provisioned,
  live: LiveFiles,
): Promise<NodeAgents> {
  const files = filePair(flags, 'nodeagent-client-certificate', 'nodeagent-client-key');
  const caFile = flags['nodeagent-certificate-authority'];
  const readCa = (): Promise<string> => readParsed(caFile, 'PEM certificates', requireCertificates);
  return {
    addressTypes: flags['nodeagent-preferred-address-types'],
    credential:
      files === undefined
        ? () => agentClient
        : await live.follow('client certificate for agents', () => readKeyPair(...files)),
    ca: caFile === '' ? undefined : await live.follow('authorities of agents', readCa),
  };
}
