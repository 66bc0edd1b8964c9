import type { NodeAgents } from '../../apiserver/subresources/index.ts';
import { requireCertificates } from './aggregation.ts';
import { readParsed } from '../files/files.ts';
import type { apiServerCommandFlags } from '../flags/flag-tables.ts';
import { type FlagValues, filePair } from '../flags/flags.ts';
import { type LiveFiles, readKeyPair } from '../files/live-files.ts';
import type { Provisioned } from '../files/provision.ts';

/**
 * Reads from the flags how the server connects to node agents. The files are read again while the server
 * runs.
 */
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
