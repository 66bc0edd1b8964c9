import { Lifetimes } from '../../base/lifetime/index.ts';
import {
  JOURNAL_PATH,
  PAGE_PATH,
  createBuiltPictures,
  createJournalApi,
  createPageFiles,
} from '../../dashboard/index.ts';
import { type Vocabulary, orchVocabulary, vocabularyOf } from '../../api/vocabulary/index.ts';
import type { Environment } from '../../base/environment.ts';
import type { HttpHandler } from '../../base/http/index.ts';
import {
  type JournalFile,
  type Transport,
  createUndiciTransport,
  loadKubeconfig,
  offJournal,
  readJournalFile,
  recordedJournal,
} from '../../runtime/index.ts';
import { createCredentialedProxy } from './credentialed-proxy.ts';
import { pageSettings, underPaths } from './parts.ts';
import { readRequired } from '../files/files.ts';
import { dashboardFlags } from '../flags/flag-tables.ts';
import { type FlagValues, UsageError, parseFlags } from '../flags/flags.ts';
import { knownMachines } from './known-machines.ts';
import { createLoopbackServer } from '../program/loopback-server.ts';
import { createServedVocabulary } from './served-vocabulary.ts';
import { announcement, createEnvironment, runDaemon } from '../program/program.ts';

/**
 * Runs `orch dashboard`, which serves the page on loopback. The page is for an API server or a journal file,
 * or it is empty.
 */
export async function dashboard(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(dashboardFlags, argv);
  if (flags.kubeconfig !== '' && flags.journal !== '')
    throw new UsageError('--kubeconfig and --journal exclude each other: expected one of them');
  const environment = createEnvironment('dashboard', flags.v);
  return flags.kubeconfig === '' ? showJournal(flags, environment) : showServer(flags, environment);
}

type Flags = FlagValues<typeof dashboardFlags>;

/** Returns the vocabulary in the flag, or undefined to detect it from the server. */
const givenVocabulary = ({ vocabulary }: Pick<Flags, 'vocabulary'>): Vocabulary | undefined =>
  vocabulary === '' ? undefined : vocabularyOf(vocabulary);

async function showServer(flags: Flags, environment: Environment): Promise<number> {
  const path = flags.kubeconfig;
  const vocabulary = givenVocabulary(flags);
  const config = await loadKubeconfig(await readRequired(path), {
    path,
    readFile: readRequired,
    ...(vocabulary && { vocabulary }),
    clock: environment.clock,
    environment: process.env,
  });
  return runDaemon(environment, async () => {
    const transport = createUndiciTransport(config);
    const server = createLoopbackServer('dashboard', flags.port, pageOver(transport, vocabulary));
    const ready = announcement(() => `ready ${server.address()}${PAGE_PATH}/ — shows ${config.server}`);
    const client = { name: 'client', start: async () => {}, stop: () => transport.close() };
    return new Lifetimes([client, server, ready], { clock: environment.clock });
  });
}

/**
 * Serves the page for an API server. Every request uses the credential of the transport.
 * @param vocabulary default: detected from the groups of the server
 */
export function pageOver(transport: Transport, vocabulary?: Vocabulary): HttpHandler {
  const served = vocabulary === undefined ? createServedVocabulary(transport) : async () => vocabulary;
  const proxy = createCredentialedProxy(transport);
  const page = createPageFiles(async () => pageSettings(await served(), 'live', false));
  return underPaths([
    { path: PAGE_PATH, handler: page },
    ...[JOURNAL_PATH, '/api', '/apis'].map((path) => ({ path, handler: proxy })),
  ]);
}

async function showJournal(flags: Flags, environment: Environment): Promise<number> {
  const vocabulary = givenVocabulary(flags) ?? orchVocabulary;
  const file = flags.journal === '' ? undefined : await readJournal(await readRequired(flags.journal));
  return runDaemon(environment, async () => {
    const api = createJournalApi({
      journal: file === undefined ? offJournal : recordedJournal(file.entries),
      clock: environment.clock,
      pictures: createBuiltPictures(),
      machines: () => new Map(knownMachines().map((machine) => [machine.id, machine])),
      charts: file?.charts ?? {},
    });
    const page = createPageFiles(() => pageSettings(vocabulary, 'file'));
    const handler = underPaths([
      { path: JOURNAL_PATH, handler: api.handler },
      { path: PAGE_PATH, handler: page },
    ]);
    const server = createLoopbackServer('dashboard', flags.port, handler);
    const ready = announcement(() => `ready ${server.address()}${PAGE_PATH}/ — ${aboutOf(file)}`);
    return new Lifetimes([api, server, ready], { clock: environment.clock });
  });
}

/** Reads a journal file, or the trace of a chaos run, which is replayed if it contains no journal. */
async function readJournal(text: string): Promise<JournalFile> {
  const { journalOfTrace } = await import('../../chaos/report/index.ts');
  return (await journalOfTrace(text)) ?? readJournalFile(text);
}

const aboutOf = (file: JournalFile | undefined): string =>
  file === undefined ? 'open a journal file in the page' : `a journal of ${file.entries.length} entries`;
