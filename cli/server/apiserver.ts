import { join } from 'node:path';
import { vocabularyOf } from '../../api/vocabulary/index.ts';
import { Lifetimes } from '../../base/lifetime/index.ts';
import { servingHosts } from './advertised.ts';
import { schemeOf } from '../program/scheme-of.ts';
import { apiServerCommandFlags } from '../flags/flag-tables.ts';
import { parseFlags } from '../flags/flags.ts';
import { announcement, createEnvironment, runDaemon } from '../program/program.ts';
import { provision } from '../files/provision.ts';
import { createServed } from './serve.ts';

/** Runs `orch apiserver`, the API server without controllers. Resolves to the exit code. */
export async function apiserver(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(apiServerCommandFlags, argv);
  const vocabulary = vocabularyOf(flags.vocabulary);
  const scheme = schemeOf(flags.vocabulary);
  const environment = createEnvironment(`${vocabulary.short}-apiserver`, flags.v);
  return runDaemon(environment, async () => {
    const provisioned = await provision(flags['data-dir'], {
      vocabulary,
      hosts: servingHosts(flags),
      environment,
    });
    const served = await createServed({ flags, scheme, environment, provisioned });
    const config = join(flags['data-dir'], 'admin.conf');
    const ready = announcement(
      () => `ready ${served.url()} — client configuration in ${config}${served.notice}`,
    );
    return new Lifetimes([...served.lifetimes, ready], { clock: environment.clock });
  });
}
