import { type FlagValues, oneOf, text } from '../flags/flags.ts';
import { apiVersionOf } from './resources.ts';
import { createTableWriter } from './table.ts';
import type { Terminal } from './terminal.ts';

export const apiResourcesFlags = {
  'api-group': text('', 'group to list'),
  namespaced: oneOf(
    ['', 'true', 'false'],
    '',
    'true for namespaced resources only, false for cluster resources only',
  ),
};

const COLUMNS = ['NAME', 'SHORTNAMES', 'APIVERSION', 'NAMESPACED', 'KIND'];

/** Runs `api-resources`, which lists the resources of the server, each at its preferred version. */
export async function apiResources(
  terminal: Terminal,
  _words: readonly string[],
  flags: FlagValues<typeof apiResourcesFlags>,
): Promise<number> {
  const all = await terminal.discovery.fresh();
  const listed = all.filter(
    (each, at) =>
      (flags['api-group'] === '' || each.group === flags['api-group']) &&
      (flags.namespaced === '' || String(each.namespaced) === flags.namespaced) &&
      all.findIndex(({ group, plural }) => group === each.group && plural === each.plural) === at,
  );
  const write = createTableWriter({ wide: false, namespaces: false });
  terminal.print(
    write({
      columns: COLUMNS.map((name) => ({ name, isWide: false })),
      rows: listed.map((each) => ({
        cells: [
          each.plural,
          each.shortNames.join(','),
          apiVersionOf(each),
          String(each.namespaced),
          each.kind,
        ],
        name: each.plural,
        namespace: '',
        labels: {},
        object: undefined,
      })),
    }),
  );
  return 0;
}
