import { startControllersThread } from './controllers-thread.ts';
import { upFlags } from '../flags/flag-tables.ts';
import { parseFlags } from '../flags/flags.ts';
import { createEnvironment, offsetFromParent, runDaemon } from '../program/program.ts';

/**
 * Runs `orch up`: API server and controller manager in one process, each in a dedicated thread. Resolves to
 * the exit code.
 */
export async function up(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(upFlags, argv);
  const [name, verbosity, offset] = [flags.vocabulary, flags.v, offsetFromParent()];
  const environment = createEnvironment(name, verbosity, offset);
  const thread = startControllersThread({ name, verbosity, ...(offset && { offset: offset.memory }) });
  // This module is loaded while the thread loads its own modules.
  const assemble = import('./parts.ts');
  return runDaemon(
    environment,
    async () => (await assemble).assembleUp(argv, flags, environment, thread),
    thread.failed,
  );
}
