import type { FlagValues } from '../flags/flags.ts';
import { dryRunNote, dryRunParameter } from './dry-run.ts';
import { queryText } from './get-request.ts';
import { metadataText } from './metadata.ts';
import { pathOf, titleOf } from './resources.ts';
import type { Terminal } from './terminal.ts';
import { fileFlags, written } from './written.ts';

export const createFlags = fileFlags;

/** Runs `create -f FILE`. */
export async function create(
  terminal: Terminal,
  words: readonly string[],
  flags: FlagValues<typeof createFlags>,
): Promise<number> {
  const query = queryText({
    fieldManager: flags['field-manager'],
    dryRun: dryRunParameter(flags['dry-run']),
    fieldValidation: 'Strict',
  });
  for (const { resource, namespace: within, manifest } of await written(terminal, words, flags)) {
    const request = { method: 'POST', path: `${pathOf(resource, within)}${query}`, body: manifest.object };
    const made = flags['dry-run'] === 'client' ? manifest.object : await terminal.ask(request);
    terminal.print(
      `${titleOf(resource, metadataText(made, 'name') || manifest.name)} created${dryRunNote(flags['dry-run'])}\n`,
    );
  }
  return 0;
}
