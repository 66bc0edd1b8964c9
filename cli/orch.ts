#!/usr/bin/env node
import module from 'node:module';
import type { FlagTable } from './flags/flags.ts';
import { type Described, chooseCommand, describeCommand, describeCommands } from './help/command-help.ts';
import { askedHelp, flagHelp } from './help/flag-help.ts';
import { describeFailure, onClosedOutput } from './program/program.ts';

interface Command extends Described {
  /** Imports only the flags, for `--help`. */
  readonly flags: () => Promise<FlagTable>;
  /** Flags that `--help` shows, separated by spaces; default all. */
  readonly first?: string;
  readonly load: () => Promise<(argv: readonly string[]) => Promise<number>>;
}

const CLUSTER = 'Run a cluster';
const VIEWS = 'See what controllers do';
const CHAOS = 'Find bugs in controllers';

/** The ten flags that most users of a daemon need. */
const FIRST_FLAGS = {
  up: 'data-dir vocabulary v bind-address secure-port tls-cert-file tls-private-key-file authorization-mode controllers dashboard',
  apiserver:
    'data-dir vocabulary v bind-address secure-port tls-cert-file tls-private-key-file authorization-mode client-ca-file audit-policy-file',
  manager:
    'data-dir vocabulary v kubeconfig master controllers leader-elect redis-url healthz-port healthz-dashboard',
};

const commands: { readonly [name: string]: Command } = {
  up: {
    group: CLUSTER,
    first: FIRST_FLAGS.up,
    about: 'runs the API server and the controller manager in one process',
    flags: async () => (await import('./flags/flag-tables.ts')).upFlags,
    load: async () => (await import('./up/up.ts')).up,
  },
  apiserver: {
    group: CLUSTER,
    first: FIRST_FLAGS.apiserver,
    about: 'runs the API server alone',
    flags: async () => (await import('./flags/flag-tables.ts')).apiServerCommandFlags,
    load: async () => (await import('./server/apiserver.ts')).apiserver,
  },
  'controller-manager': {
    group: CLUSTER,
    first: FIRST_FLAGS.manager,
    about: 'runs the controllers against the API server of a client configuration',
    flags: async () => (await import('./flags/flag-tables.ts')).controllerManagerFlags,
    load: async () => (await import('./manager/controller-manager.ts')).controllerManager,
  },
  dashboard: {
    group: VIEWS,
    about: 'serves a page with the controllers of a server or a journal file on this machine',
    flags: async () => (await import('./flags/flag-tables.ts')).dashboardFlags,
    load: async () => (await import('./dashboard/dashboard.ts')).dashboard,
  },
  why: {
    takes: '[KIND NAME]',
    about: 'lists what needs attention and what blocks it, of one object or of all',
    flags: async () => (await import('./ctl/why.ts')).whyFlags,
    load: async () => (await import('./ctl/why.ts')).why,
  },
  machines: {
    group: VIEWS,
    about: 'lists the state machines, or prints one: orch machines NAME --format svg',
    flags: async () => (await import('./flags/flag-tables.ts')).machinesFlags,
    load: async () => (await import('./dashboard/machines.ts')).machines,
  },
  'chaos run': {
    group: CHAOS,
    about: 'runs controllers under injected faults in a simulation and checks their invariants',
    flags: async () => (await import('./chaos/run-flags.ts')).chaosRunFlags,
    load: async () => (await import('./chaos/run.ts')).chaosRun,
  },
  'chaos replay': {
    group: CHAOS,
    takes: 'TRACE',
    about: 'repeats and narrates a recorded run, or shrinks it',
    flags: async () => (await import('./chaos/run-flags.ts')).chaosReplayFlags,
    load: async () => (await import('./chaos/run.ts')).chaosReplay,
  },
  'chaos proxy': {
    group: CHAOS,
    about: 'injects the faults of a plan between any controller and any API server',
    flags: async () => (await import('./chaos/proxy-flags.ts')).chaosProxyFlags,
    load: async () => (await import('./chaos/proxy.ts')).chaosProxy,
  },
  'chaos live': {
    group: CHAOS,
    about: 'kills, pauses and disconnects real processes and checks the invariants',
    flags: async () => (await import('./chaos/live-flags.ts')).chaosLiveFlags,
    load: async () => (await import('./chaos/live.ts')).chaosLive,
  },
  'chaos explore': {
    group: CHAOS,
    takes: 'CONTROLLER',
    about: 'explores every state that a controller (* for each in turn) reaches with a small workload',
    flags: async () => (await import('./chaos/explore-flags.ts')).chaosExploreFlags,
    load: async () => (await import('./chaos/explore.ts')).chaosExplore,
  },
  'chaos mutants': {
    group: CHAOS,
    about: 'searches mutants of the controllers, to check that the invariants catch each',
    flags: async () => (await import('./chaos/explore-flags.ts')).chaosMutantsFlags,
    load: async () => (await import('./chaos/explore.ts')).chaosMutants,
  },
  'chaos coverage': {
    group: CHAOS,
    about: 'explores every workload and reports which machine states it covers',
    flags: async () => (await import('./chaos/explore-flags.ts')).chaosCoverageFlags,
    load: async () => (await import('./chaos/explore.ts')).chaosCoverage,
  },
  'chaos museum': {
    group: CHAOS,
    takes: '[ISSUE]',
    about: 'rebuilds published controller bugs as mutants and finds them',
    flags: async () => (await import('./chaos/explore-flags.ts')).chaosMuseumFlags,
    load: async () => (await import('./chaos/explore.ts')).chaosMuseum,
  },
};

const overview = (family = '', shown: typeof commands = commands): string =>
  `usage: orch ${family === '' ? '' : `${family} `}COMMAND [--flag value ...]\n\n${describeCommands(shown)}\n\norch COMMAND --help lists a command's flags, orch version prints the version\n`;

/** Prints a help text and returns the exit code: 1 if a command is missing and help was not asked for. */
function printHelp(text: string, isAsked: boolean): number {
  process.stdout.write(text);
  return isAsked ? 0 : 1;
}

async function main(argv: readonly string[]): Promise<number> {
  const [first = '', ...others] = argv;
  if (first === 'help' && others.length > 0) return main([...others, '--help']);
  const isOverview = first === 'help' || askedHelp([first]) !== undefined;
  if (first === '' || isOverview) return printHelp(overview(), isOverview);
  if (first === '--version' || first === 'version') {
    const { versionLine } = await import('./program/version.ts');
    process.stdout.write(versionLine('orch'));
    return 0;
  }
  const chosen = chooseCommand('orch', commands, argv);
  const asked = askedHelp(chosen.rest);
  if ('family' in chosen) return printHelp(overview(chosen.family, chosen.commands), asked !== undefined);
  const { name, command, rest } = chosen;
  if (asked === undefined) return (await command.load())(rest);
  const flags = flagHelp(await command.flags(), asked, command.first?.split(' '));
  return printHelp(`${describeCommand('orch', name, command)}\n\n${flags}\n`, true);
}

// The compiled code is cached between starts if Node.js supports it (22.1 and newer).
(module as { enableCompileCache?: () => void }).enableCompileCache?.();

// A daemon continues without a reader, and the other commands end by themselves.
onClosedOutput(() => {});
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (thrown) {
  process.stderr.write(`${describeFailure(thrown)}\n`);
  process.exitCode = 1;
}
// Exits explicitly, because a handle that a library left open must not keep a stopped daemon running.
process.exit();
