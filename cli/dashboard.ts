import { Lifetimes } from '../base/lifetime/lifetimes.ts';
import { journalOfTrace } from '../chaos/report/trace-journal.ts';
import {
  JOURNAL_PATH,
  PAGE_PATH,
  createBuiltPictures,
  createJournalApi,
  createPageFiles,
} from '../dashboard/index.ts';
import { type JournalFile, offJournal, readJournalFile, recordedJournal } from '../runtime/index.ts';
import { schemeOf } from './controllers.ts';
import { pageSettings, underPaths } from './dashboard-parts.ts';
import { readRequired } from './files.ts';
import { dashboardFlags } from './flag-tables.ts';
import { parseFlags } from './flags.ts';
import { knownMachines } from './known-machines.ts';
import { createLoopbackServer } from './loopback-server.ts';
import { announcement, createEnvironment, runDaemon } from './program.ts';

/** `orch dashboard`: the page on this machine alone, over a journal file or none. */
export async function dashboard(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(dashboardFlags, argv);
  const scheme = schemeOf(flags.vocabulary);
  const environment = await createEnvironment(scheme.vocabulary.product, flags.v);
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
