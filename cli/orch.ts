#!/usr/bin/env node
import module from 'node:module';
import { apiServerCommandFlags, controllerManagerFlags, upFlags } from './flag-tables.ts';
import { type FlagTable, UsageError, describeFlags } from './flags.ts';
import { describeFailure } from './program.ts';

interface Command {
  readonly about: string;
  readonly flags: FlagTable;
  readonly load: () => Promise<(argv: readonly string[]) => Promise<number>>;
}

const commands: { readonly [name: string]: Command } = {
  up: {
    about: 'runs the API server and the controller manager in one process',
    flags: upFlags,
    load: async () => (await import('./up.ts')).up,
  },
  apiserver: {
    about: 'runs the API server alone',
    flags: apiServerCommandFlags,
    load: async () => (await import('./apiserver.ts')).apiserver,
  },
  'controller-manager': {
    about: 'runs the controllers against the API server of a client configuration',
    flags: controllerManagerFlags,
    load: async () => (await import('./controller-manager.ts')).controllerManager,
  },
};

const overview = (): string =>
  `usage: orch COMMAND [--flag value ...]\n\n${Object.entries(commands)
    .map(([name, { about }]) => `  ${name.padEnd(20)}${about}`)
    .join('\n')}\n\norch COMMAND --help lists a command's flags\n`;

async function main([name = '', ...argv]: readonly string[]): Promise<number> {
  if (name === '' || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(overview());
    return name === '' ? 1 : 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command)
    throw new UsageError(
      `unknown command ${JSON.stringify(name)}: expected ${Object.keys(commands).join(', ')}`,
    );
  if (argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(
      `usage: orch ${name} [--flag value ...]\n\n${command.about}\n\n${describeFlags(command.flags)}\n`,
    );
    return 0;
  }
  return (await command.load())(argv);
}

// Compiled code is kept between starts where Node can (22.1 and newer).
(module as { enableCompileCache?: () => void }).enableCompileCache?.();

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (thrown) {
  process.stderr.write(`${describeFailure(thrown)}\n`);
  process.exitCode = 1;
}
// What a library left open must not keep a daemon that has stopped alive.
process.exit();
