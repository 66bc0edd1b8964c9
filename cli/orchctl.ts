#!/usr/bin/env node
import { countLeadingFlags, isFlagOf, readCommandLine } from './ctl/command-line.ts';
import { connectionFlags } from './ctl/connection-flags.ts';
import { type VerbEntry, verbs } from './ctl/verbs.ts';
import { type FlagTable, text } from './flags/flags.ts';
import { chooseCommand, describeCommand, describeCommands } from './help/command-help.ts';
import { askedHelp, describeFlags, flagHelp } from './help/flag-help.ts';
import { createEnvironment, describeFailure, onClosedOutput } from './program/program.ts';

const overview = (family = '', shown: { readonly [name: string]: VerbEntry } = verbs): string =>
  `usage: orchctl ${family === '' ? '' : `${family} `}COMMAND [words and flags]\n\n${describeCommands(shown)}\n\nEvery command takes:\n\n${describeFlags(connectionFlags)}\n\norchctl COMMAND --help lists a command's own flags\n`;

/** Flags that people put before the verb. */
const frequentFlags: FlagTable = { ...connectionFlags, namespace: text('', '') };

/** Returns the number of flags and their values before the verb. */
async function leadingFlags(given: readonly string[]): Promise<number> {
  if (given[0]?.startsWith('-') !== true) return 0;
  const known = countLeadingFlags(frequentFlags, given);
  if (given.slice(0, known).every((item) => !item.startsWith('-') || isFlagOf(frequentFlags, item)))
    return known;
  // Only the flags of all verbs tell which flags take a value.
  const all = await Promise.all(Object.values(verbs).map(({ load }) => load()));
  const flags: FlagTable = Object.assign({}, connectionFlags, ...all.map((each) => each.flags));
  return countLeadingFlags(flags, given);
}

async function main(given: readonly string[]): Promise<number> {
  const asked = askedHelp(given);
  const before = await leadingFlags(given);
  const [leading, argv] = [given.slice(0, before), given.slice(before)];
  const [first = ''] = argv;
  if (given.length === 0 || first === 'help' || (first === '' && asked !== undefined)) {
    process.stdout.write(overview());
    return given.length === 0 ? 1 : 0;
  }
  const choice = chooseCommand('orchctl', verbs, argv);
  if ('family' in choice) {
    process.stdout.write(overview(choice.family, choice.commands));
    return asked === undefined ? 1 : 0;
  }
  const { name, command: entry } = choice;
  const chosen = await entry.load();
  if (asked !== undefined) {
    const flags = flagHelp(chosen.flags, asked);
    process.stdout.write(
      `${[describeCommand('orchctl', name, entry), flags].filter(Boolean).join('\n\n')}\n`,
    );
    return 0;
  }
  const table = { ...chosen.flags, ...connectionFlags };
  const { words: rest, flags } = readCommandLine(table, [...leading, ...choice.rest]);
  if ('runLocally' in chosen) return chosen.runLocally(rest, flags);
  const { connect } = await import('./ctl/connection.ts');
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
  const { ApiError } = await import('../api/status/index.ts');
  const { describeRefusal } = await import('./ctl/terminal.ts');
  process.stderr.write(`${thrown instanceof ApiError ? describeRefusal(thrown) : describeFailure(thrown)}\n`);
  process.exitCode = 1;
}
