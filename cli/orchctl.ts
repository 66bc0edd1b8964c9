#!/usr/bin/env node
import { ApiError } from '../api/status/index.ts';
import { canI, canIFlags, certificateFlags, decideCertificate, whoAmI } from './ctl/access.ts';
import { apiResources, apiResourcesFlags } from './ctl/api-resources.ts';
import { countLeadingFlags, readCommandLine } from './ctl/command-line.ts';
import { connect, connectionFlags } from './ctl/connection.ts';
import { describe, previewFlags } from './ctl/describe.ts';
import { type ConfigFlags, exportFlags, exportPkcs12 } from './ctl/export-p12.ts';
import { get, getFlags } from './ctl/get.ts';
import { type Terminal, describeRefusal } from './ctl/terminal.ts';
import { version } from './ctl/version.ts';
import {
  apply,
  applyFlags,
  create,
  createFlags,
  deleteFlags,
  patch,
  patchFlags,
  remove,
} from './ctl/write.ts';
import type { FlagTable, FlagValues } from './flags/flags.ts';
import { chooseCommand, describeCommand, describeCommands } from './help/command-help.ts';
import { askedHelp, describeFlags, flagHelp } from './help/flag-help.ts';
import { createEnvironment, describeFailure, onClosedOutput } from './program/program.ts';

interface Command {
  /** Arguments after the command. */
  readonly takes: string;
  readonly about: string;
  readonly flags: FlagTable;
  readonly run: (terminal: Terminal, words: readonly string[], flags: object) => Promise<number>;
}

/** Command that needs no server. */
interface LocalCommand {
  readonly takes: string;
  readonly about: string;
  readonly flags: FlagTable;
  readonly runLocally: (words: readonly string[], flags: object) => Promise<number>;
}

/** Declares a command whose function receives the parsed values of its flags. */
function command<F extends FlagTable>(
  takes: string,
  about: string,
  flags: F,
  run: (terminal: Terminal, words: readonly string[], flags: FlagValues<F>) => Promise<number>,
): Command {
  return {
    takes,
    about,
    flags,
    run: (terminal, words, values) => run(terminal, words, values as FlagValues<F>),
  };
}

const commands: { readonly [name: string]: Command | LocalCommand } = {
  get: command('TYPE[/NAME] [NAME ...]', 'shows objects', getFlags, get),
  describe: command('cronjob NAME', 'shows a schedule with its next runs', previewFlags, describe),
  apply: command('-f FILE', 'applies files on the server side', applyFlags, apply),
  create: command('-f FILE', 'creates the objects of files', createFlags, create),
  patch: command('TYPE NAME -p PATCH', 'changes a part of an object', patchFlags, patch),
  delete: command('TYPE NAME ... or -f FILE', 'deletes objects', deleteFlags, remove),
  'api-resources': command('', 'lists the resources the server has', apiResourcesFlags, apiResources),
  'auth can-i': command('VERB TYPE[/NAME]', 'checks whether the user may do something', canIFlags, canI),
  'auth whoami': command('', 'prints the user that the server sees', {}, whoAmI),
  version: command('', 'prints the version of this program and of the server', {}, version),
  'config export-p12': {
    takes: '',
    about: 'writes the client certificate and key to a PKCS#12 file, which browsers import',
    flags: exportFlags,
    runLocally: (words, flags) => exportPkcs12(words, flags as FlagValues<typeof exportFlags & ConfigFlags>),
  },
  'certificate approve': command(
    'NAME ...',
    'approves certificate requests',
    certificateFlags,
    (terminal, words, flags) => decideCertificate(terminal, words, 'Approved', flags),
  ),
  'certificate deny': command(
    'NAME ...',
    'denies certificate requests',
    certificateFlags,
    (terminal, words, flags) => decideCertificate(terminal, words, 'Denied', flags),
  ),
};

const flagsOfAll: FlagTable = Object.assign(
  {},
  connectionFlags,
  ...Object.values(commands).map(({ flags }) => flags),
);

const overview = (family = '', shown: typeof commands = commands): string =>
  `usage: orchctl ${family === '' ? '' : `${family} `}COMMAND [words and flags]\n\n${describeCommands(shown)}\n\nEvery command takes:\n\n${describeFlags(connectionFlags)}\n\norchctl COMMAND --help lists a command's own flags\n`;

async function main(given: readonly string[]): Promise<number> {
  const asked = askedHelp(given);
  const before = countLeadingFlags(flagsOfAll, given);
  const [leading, argv] = [given.slice(0, before), given.slice(before)];
  const [first = ''] = argv;
  if (given.length === 0 || first === 'help' || (first === '' && asked !== undefined)) {
    process.stdout.write(overview());
    return given.length === 0 ? 1 : 0;
  }
  const choice = chooseCommand('orchctl', commands, argv);
  if ('family' in choice) {
    process.stdout.write(overview(choice.family, choice.commands));
    return asked === undefined ? 1 : 0;
  }
  const { name, command: chosen } = choice;
  if (asked !== undefined) {
    const flags = flagHelp(chosen.flags, asked);
    process.stdout.write(
      `${[describeCommand('orchctl', name, chosen), flags].filter(Boolean).join('\n\n')}\n`,
    );
    return 0;
  }
  const table = { ...chosen.flags, ...connectionFlags };
  const { words: rest, flags } = readCommandLine(table, [...leading, ...choice.rest]);
  if ('runLocally' in chosen) return chosen.runLocally(rest, flags);
  const terminal = await connect(flags, createEnvironment('orchctl', 0));
  try {
    return await chosen.run(terminal, rest, flags);
  } finally {
    await terminal.close();
  }
}

// A watch would not end by itself.
onClosedOutput(() => process.exit());
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (thrown) {
  process.stderr.write(`${thrown instanceof ApiError ? describeRefusal(thrown) : describeFailure(thrown)}\n`);
  process.exitCode = 1;
}
