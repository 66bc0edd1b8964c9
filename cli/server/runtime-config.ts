import { formerKinds } from '../../api/groups/index.ts';
import type { AnyKind, Scheme } from '../../api/kinds/index.ts';
import { UsageError } from '../flags/flags.ts';

/** Predicates of version classes by stability: `api/all`, `api/ga`, `api/beta`, `api/alpha`. */
const CLASSES: ReadonlyMap<string, (version: string) => boolean> = new Map([
  ['api/all', () => true],
  ['api/ga', (version: string) => /^v\d+$/.test(version)],
  ['api/beta', (version: string) => /^v\d+beta\d+$/.test(version)],
  ['api/alpha', (version: string) => /^v\d+alpha\d+$/.test(version)],
]);

/** Prefix of the core group's version, in either spelling. */
const CORE = /^(api\/)?(?=v\d)/;

/**
 * Parses `--runtime-config`. An item is `key=true`, `key=false` or `key`. A key is a class of versions, a
 * `group/version` or a `group/version/resource`. The narrowest key wins, whatever the order. A resource
 * without a key is served unless its version is from a former release.
 *
 * Throws `UsageError` for an unknown key, for an invalid value, or if nothing would be served.
 */
export function parseRuntimeConfig(items: readonly string[], scheme: Scheme): (kind: AnyKind) => boolean {
  const switches = new Map(items.map(parseItem));
  const keysOf = ({ group, version, plural }: AnyKind): readonly string[] => {
    const served = `${group === '' ? '' : `${scheme.vocabulary.group(group)}/`}${version}`;
    const classes = ['api/alpha', 'api/beta', 'api/ga', 'api/all'];
    return [
      `${served}/${plural}`,
      served,
      ...classes.filter((name) => CLASSES.get(name)?.(version) === true),
    ];
  };
  // The server uses this version as a client of the image policy service and never serves it. Upstream
  // requires that this flag enables it.
  const spoken = scheme.vocabulary.apiVersion('imagepolicy', 'v1alpha1');
  const known = new Set([...CLASSES.keys(), spoken, ...scheme.kinds.flatMap(keysOf)]);
  for (const key of switches.keys())
    if (!known.has(key))
      throw new UsageError(
        `unknown API ${JSON.stringify(key)} in --runtime-config: expected group/version, group/version/resource or ` +
          `one of ${[...CLASSES.keys()].join(', ')}`,
      );
  if (switches.size === 1 && switches.get('api/all') === false)
    throw new UsageError('invalid --runtime-config with api/all=false alone: name what is to be served');
  return (kind) => {
    const decided = keysOf(kind).find((key) => switches.has(key));
    return decided === undefined ? !formerKinds.includes(kind) : switches.get(decided) === true;
  };
}

function parseItem(item: string): [string, boolean] {
  const [name = '', value = 'true', ...rest] = item.split('=');
  const key = name.trim();
  if (rest.length > 0 || (value !== 'true' && value !== 'false' && value !== ''))
    throw new UsageError(
      `invalid item ${JSON.stringify(item)} in --runtime-config: expected key=true or key=false`,
    );
  return [CLASSES.has(key) ? key : key.replace(CORE, ''), value !== 'false'];
}
