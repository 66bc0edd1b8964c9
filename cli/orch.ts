#!/usr/bin/env node
import module from 'node:module';
import { type FlagTable, UsageError, describeFlags } from './flags/flags.ts';
import { describeFailure } from './program/program.ts';

interface Command {
  /** Arguments between the command and its flags, such as `TRACE`. */
  readonly takes?: string;
  readonly about: string;
  /** Imports only the flags, for `--help`. */
  readonly flags: () => Promise<FlagTable>;
  readonly load: () => Promise<(argv: readonly string[]) => Promise<number>>;
}

const commands: { readonly [name: string]: Command } = {
  up: {
    about: 'runs the API server and the controller manager in one process',
    flags: async () => (await import('./flags/flag-tables.ts')).upFlags,
    load: async () => (await import('./up/up.ts')).up,
  },
  apiserver: {
    about: 'runs the API server alone',
    flags: async () => (await import('./flags/flag-tables.ts')).apiServerCommandFlags,
    load: async () => (await import('./server/apiserver.ts')).apiserver,
  },
  dashboard: {
    about: 'serves a page with the controllers of a server or a journal file on this machine',
    flags: async () => (await import('./flags/flag-tables.ts')).dashboardFlags,
    load: async () => (await import('./dashboard/dashboard.ts')).dashboard,
  },
  machines: {
    about: 'lists the state machines, or prints one: orch machines NAME --format svg',
    flags: async () => (await import('./flags/flag-tables.ts')).machinesFlags,
    load: async () => (await import('./dashboard/machines.ts')).machines,
  },
  'controller-manager': {
    about: 'runs the controllers against the API server of a client configuration',
    flags: async () => (await import('./flags/flag-tables.ts')).controllerManagerFlags,
    load: async () => (await import('./manager/controller-manager.ts')).controllerManager,
  },
  'chaos run': {
    about: 'runs controllers under injected faults in a simulation and checks their invariants',
    flags: async () => (await import('./chaos/run-flags.ts')).chaosRunFlags,
    load: async () => (await import('./chaos/run.ts')).chaosRun,
  },
  'chaos replay': {
    takes: 'TRACE',
    about: 'repeats and narrates a recorded run, or shrinks it',
    flags: async () => (await import('./chaos/run-flags.ts')).chaosReplayFlags,
    load: async () => (await import('./chaos/run.ts')).chaosReplay,
  },
  'chaos proxy': {
    about: 'injects the faults of a plan between any controller and any API server',
    flags: async () => (await import('./chaos/proxy-flags.ts')).chaosProxyFlags,
    load: async () => (await import('./chaos/proxy.ts')).chaosProxy,
  },
  'chaos live': {
    about: 'kills, pauses and disconnects real processes and checks the invariants',
    flags: async () => (await import('./chaos/live-flags.ts')).chaosLiveFlags,
    load: async () => (await import('./chaos/live.ts')).chaosLive,
  },
  'chaos explore': {
    takes: 'CONTROLLER',
    about: 'explores every state that a controller (* for each in turn) reaches with a small workload',
    flags: async () => (await import('./chaos/explore-flags.ts')).chaosExploreFlags,
    load: async () => (await import('./chaos/explore.ts')).chaosExplore,
  },
  'chaos mutants': {
    about: 'searches mutants of the controllers, to check that the invariants catch each',
    flags: async () => (await import('./chaos/explore-flags.ts')).chaosMutantsFlags,
    load: async () => (await import('./chaos/explore.ts')).chaosMutants,
  },
  'chaos coverage': {
    about: 'explores every workload and reports which machine states it covers',
    flags: async () => (await import('./chaos/explore-flags.ts')).chaosCoverageFlags,
    load: async () => (await import('./chaos/explore.ts')).chaosCoverage,
  },
  'chaos museum': {
    takes: '[ISSUE]',
    about: 'rebuilds published controller bugs as mutants and finds them',
    flags: async () => (await import('./chaos/explore-flags.ts')).chaosMuseumFlags,
    load: async () => (await import('./chaos/explore.ts')).chaosMuseum,
  },
};

const overview = (): string =>
  `usage: orch COMMAND [--flag value ...]\n\n${Object.entries(commands)
    .map(([name, { about }]) => `  ${name.padEnd(20)}${about}`)
    .join('\n')}\n\norch COMMAND --help lists a command's flags, orch version prints the version\n`;

/** Splits a command of one or two words from its arguments. */
function commandOf(argv: readonly string[]): {
  name: string;
  command: Command | undefined;
  rest: readonly string[];
} {
  for (const words of [2, 1]) {
    const name = argv.slice(0, words).join(' ');
    if (Object.hasOwn(commands, name)) return { name, command: commands[name], rest: argv.slice(words) };
  }
  return { name: argv[0] ?? '', command: undefined, rest: [] };
}

async function main(given: readonly string[]): Promise<number> {
  const [first = ''] = given;
  if (first === '' || first === '--help' || first === '-h' || first === 'help') {
    process.stdout.write(overview());
    return first === '' ? 1 : 0;
  }
  if (first === '--version' || first === 'version') {
    const { versionLine } = await import('./program/version.ts');
    process.stdout.write(versionLine('orch'));
    return 0;
  }
  const { name, command, rest: argv } = commandOf(given);
  if (!command)
    throw new UsageError(
      `unknown command ${JSON.stringify(name)}: expected ${Object.keys(commands).join(', ')}`,
    );
  if (argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(
      `usage: orch ${[name, command.takes].filter(Boolean).join(' ')} [--flag value ...]\n\n${command.about}\n\n${describeFlags(await command.flags())}\n`,
    );
    return 0;
  }
  return (await command.load())(argv);
}

// The compiled code is cached between starts if Node.js supports it (22.1 and newer).
(module as { enableCompileCache?: () => void }).enableCompileCache?.();

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (thrown) {
  process.stderr.write(`${describeFailure(thrown)}\n`);
  process.exitCode = 1;
}
// Exits explicitly, because a handle that a library left open must not keep a stopped daemon running.
process.exit();
