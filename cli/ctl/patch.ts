import { equalJson, readJson } from '../../api/schema/index.ts';
import { isRecord } from '../../base/collections/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import { type FlagValues, UsageError, oneOf, text } from '../flags/flags.ts';
import { dryRunNote, dryRunParameter } from './dry-run.ts';
import { queryText } from './get-request.ts';
import { namedIn, pathOf, titleOf } from './resources.ts';
import type { Terminal } from './terminal.ts';
import { writeFlags } from './written.ts';

export const patchFlags = {
  ...writeFlags,
  patch: text('', 'patch in JSON or YAML (-p)'),
  'patch-file': text('', 'file with the patch instead of --patch'),
  type: oneOf(['strategic', 'merge', 'json'], 'strategic', 'patch type: strategic, merge or json'),
  subresource: text('', 'subresource to change, such as status or scale'),
};

/** Runs `patch TYPE NAME… -p PATCH`. */
export async function patch(
  terminal: Terminal,
  words: readonly string[],
  flags: FlagValues<typeof patchFlags>,
): Promise<number> {
  const named = await terminal.discovery.find((all) => namedIn(all, words));
  const targets = named.flatMap(({ resource, names }) => names.map((name) => ({ resource, name })));
  if (targets.length === 0) throw new UsageError('expected an object to patch: TYPE NAME or TYPE/NAME');
  const body = await patchOf(terminal, flags);
  const query = queryText({
    fieldManager: flags['field-manager'],
    dryRun: dryRunParameter(flags['dry-run']),
    fieldValidation: 'Strict',
  });
  for (const { resource, name } of targets) {
    const path = pathOf(resource, flags.namespace || terminal.namespace, name);
    const subresource = flags.subresource === '' ? '' : `/${flags.subresource}`;
    const before = await terminal.ask({ method: 'GET', path: `${path}${subresource}` });
    const after =
      flags['dry-run'] === 'client'
        ? undefined
        : await terminal.ask({
            method: 'PATCH',
            path: `${path}${subresource}${query}`,
            headers: {
              'content-type': `application/${flags.type === 'strategic' ? 'strategic-merge' : flags.type}-patch+json`,
            },
            body,
          });
    const isSame = flags['dry-run'] === 'none' && equalJson(before, after);
    terminal.print(
      `${titleOf(resource, name)} patched${isSame ? ' (no change)' : dryRunNote(flags['dry-run'])}\n`,
    );
  }
  return 0;
}

async function patchOf(
  terminal: Terminal,
  flags: Pick<FlagValues<typeof patchFlags>, 'patch' | 'patch-file'>,
): Promise<unknown> {
  if ((flags.patch === '') === (flags['patch-file'] === ''))
    throw new UsageError('expected either --patch or --patch-file');
  const given = flags.patch === '' ? await terminal.read(flags['patch-file']) : flags.patch;
  try {
    return readJson(given);
  } catch {
    const { parseYaml } = await import('../../api/yaml/index.ts');
    try {
      return parsedObject(parseYaml(given));
    } catch (thrown) {
      throw new UsageError(`the patch is neither JSON nor YAML: ${messageOf(thrown)}`);
    }
  }
}

function parsedObject(value: unknown): unknown {
  if (!isRecord(value) && !Array.isArray(value)) throw new Error('expected an object or a list');
  return value;
}
