import { isRecord } from '../../base/collections/index.ts';
import { versionLine } from '../program/version.ts';
import type { Terminal } from './terminal.ts';

/**
 * Runs `version`, which prints the version of this program and then the version of the server from
 * `/version`.
 */
export async function version(terminal: Terminal): Promise<number> {
  terminal.print(versionLine('orchctl'));
  const answer = await terminal.ask({ method: 'GET', path: '/version' });
  terminal.print(`server ${isRecord(answer) ? String(answer['gitVersion']) : 'unknown'}\n`);
  return 0;
}
