import { isRecord } from '../../base/collections/index.ts';
import { toggle } from '../flags/flags.ts';
import { createEnvironment } from '../program/program.ts';
import { versionLine } from '../program/version.ts';
import type { ConnectionFlags } from './connection-flags.ts';
import type { LocalVerb } from './verb.ts';

const flags = { client: toggle(false, 'print only the version of this program, and send no request') };

/**
 * The verb `version`, which prints the version of this program and then the version of the server from
 * `/version`.
 */
export const version: LocalVerb = {
  flags,
  async runLocally(_words, given) {
    process.stdout.write(versionLine('orchctl'));
    // The parsed values are those of these flags and of the flags of every verb.
    const values = given as { readonly client: boolean } & ConnectionFlags;
    if (values.client) return 0;
    const { connect } = await import('./connection.ts');
    const terminal = await connect(values, createEnvironment('orchctl', 0));
    try {
      const answer = await terminal.ask({ method: 'GET', path: '/version' });
      terminal.print(`server ${isRecord(answer) ? String(answer['gitVersion']) : 'unknown'}\n`);
    } finally {
      await terminal.close();
    }
    return 0;
  },
};
