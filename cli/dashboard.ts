import { Lifetimes } from '../base/lifetime/lifetimes.ts';
import { journalOfTrace } from '../chaos/report/trace-journal.ts';
import {
  JOURNAL_PATH,
  PAGE_PATH,
  createBuiltPictures,
  createJournalApi,
  createPageFiles,
} from '../dashboard/index.ts';
import type { Scheme } from '../api/kinds/scheme.ts';
import type { Environment } from '../base/environment.ts';
import {
  type JournalFile,
  createUndiciTransport,
  loadKubeconfig,
  offJournal,
  readJournalFile,
  recordedJournal,
} from '../runtime/index.ts';
import { schemeOf } from './scheme-of.ts';
import { createCredentialedProxy } from './credentialed-proxy.ts';
import { pageSettings, underPaths } from './dashboard-parts.ts';
import { readRequired } from './files.ts';
import { dashboardFlags } from './flag-tables.ts';
import { type FlagValues, UsageError, parseFlags } from './flags.ts';
import { knownMachines } from './known-machines.ts';
import { createLoopbackServer } from './loopback-server.ts';
import { announcement, createEnvironment, runDaemon } from './program.ts';

/** `orch dashboard`: the page on this machine alone, over an API server, a journal file, or nothing yet. */
export async function dashboard(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(dashboardFlags, argv);
  if (flags.kubeconfig !== '' && flags.journal !== '')
    throw new UsageError('--kubeconfig and --journal exclude each other: the page shows one of the two');
  const scheme = schemeOf(flags.vocabulary);
  const environment = createEnvironment(scheme.vocabulary.product, flags.v);
  return flags.kubeconfig === ''
    ? showJournal(flags, scheme, environment)
    : showServer(flags, scheme, environment);
}

type Flags = FlagValues<typeof dashboardFlags>;

/** Whatever the page asks for, it is given as the user of a client configuration. */
async function showServer(flags: Flags, scheme: Scheme, environment: Environment): Promise<number> {
  const { vocabulary } = scheme;
  const path = flags.kubeconfig;
  const config = await loadKubeconfig(await readRequired(path), {
    path,
    readFile: readRequired,
    vocabulary,
    clock: environment.clock,
    environment: process.env,
  });
  return runDaemon(environment, async () => {
    const transport = createUndiciTransport(config);
    const proxy = createCredentialedProxy(transport);
    const page = createPageFiles(pageSettings(scheme, 'live', false));
    const handler = underPaths([
      { path: PAGE_PATH, handler: page },
      ...[JOURNAL_PATH, '/api', '/apis'].map((below) => ({ path: below, handler: proxy })),
    ]);
    const server = createLoopbackServer('dashboard', flags.port, handler);
    const ready = announcement(() => `ready ${server.address()}${PAGE_PATH}/ — shows ${config.server}`);
    const client = { name: 'client', start: async () => {}, stop: () => transport.close() };
    return new Lifetimes([client, server, ready], { clock: environment.clock });
  });
}

async function showJournal(flags: Flags, scheme: Scheme, environment: Environment): Promise<number> {
  const file = flags.journal === '' ? undefined : readJournal(await readRequired(flags.journal));
  return runDaemon(environment, async () => {
    const api = createJournalApi({
      journal: file === undefined ? offJournal : recordedJournal(file.entries),
      clock: environment.clock,
      pictures: createBuiltPictures(),
      machines: () => new Map(knownMachines().map((machine) => [machine.id, machine])),
      charts: file?.charts ?? {},
    });
    const page = createPageFiles(pageSettings(scheme, 'file'));
    const handler = underPaths([
      { path: JOURNAL_PATH, handler: api.handler },
      { path: PAGE_PATH, handler: page },
    ]);
    const server = createLoopbackServer('dashboard', flags.port, handler);
    const ready = announcement(() => `ready ${server.address()}${PAGE_PATH}/ — ${aboutOf(file)}`);
    return new Lifetimes([api, server, ready], { clock: environment.clock });
  });
}

/** A journal file, or the trace of a chaos run with one. */
const readJournal = (text: string): JournalFile => journalOfTrace(text) ?? readJournalFile(text);

const aboutOf = (file: JournalFile | undefined): string =>
  file === undefined ? 'open a journal file in the page' : `a journal of ${file.entries.length} entries`;
