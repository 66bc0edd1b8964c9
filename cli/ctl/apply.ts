import { type FlagValues, UsageError, toggle } from '../flags/flags.ts';
import { dryRunNote, dryRunParameter } from './dry-run.ts';
import { queryText } from './get-request.ts';
import { pathOf, titleOf } from './resources.ts';
import type { Terminal } from './terminal.ts';
import { fileFlags, written } from './written.ts';

export const applyFlags = {
  ...fileFlags,
  'force-conflicts': toggle(false, 'take over fields that other managers own'),
};

/**
 * Runs `apply -f FILE` by server-side apply:
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/
 */
export async function apply(
  terminal: Terminal,
  words: readonly string[],
  flags: FlagValues<typeof applyFlags>,
): Promise<number> {
  const query = queryText({
    fieldManager: flags['field-manager'],
    force: flags['force-conflicts'] ? 'true' : '',
    dryRun: dryRunParameter(flags['dry-run']),
    fieldValidation: 'Strict',
  });
  for (const { resource, namespace: within, manifest } of await written(terminal, words, flags)) {
    if (manifest.name === '')
      throw new UsageError(`a ${manifest.kind} has no name: apply requires metadata.name`);
    if (flags['dry-run'] !== 'client')
      await terminal.ask({
        method: 'PATCH',
        path: `${pathOf(resource, within, manifest.name)}${query}`,
        headers: { 'content-type': 'application/apply-patch+yaml' },
        body: manifest.object,
      });
    terminal.print(`${titleOf(resource, manifest.name)} applied${dryRunNote(flags['dry-run'])}\n`);
  }
  return 0;
}
