import { ApiError } from '../../api/status/index.ts';
import { isRecord } from '../../base/collections/index.ts';
import type { RawRequest } from '../../runtime/client/index.ts';
import { UsageError } from '../flags/flags.ts';

/** Resource in the discovery of the server. */
export interface Resource {
  /** Group name in the vocabulary of the server; '' for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  /** Categories such as `all`, by which several resources are read at once. */
  readonly categories: readonly string[];
}

/** Returns the title of an object for messages, such as `configmap/x` or `cronjob.batch/x`. */
export const titleOf = ({ singular, group }: Resource, name: string): string =>
  `${group === '' ? singular : `${singular}.${group}`}/${name}`;

export const apiVersionOf = ({ group, version }: Pick<Resource, 'group' | 'version'>): string =>
  group === '' ? version : `${group}/${version}`;

/**
 * Returns the path of a collection or of one object in it. An undefined `namespace` selects all namespaces.
 */
export function pathOf(resource: Resource, namespace: string | undefined, name?: string): string {
  const { group, version, namespaced, plural } = resource;
  const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const within = namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${base}${within}/${plural}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
}

const records = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];
const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Resources of a server. */
export interface Discovered {
  readonly resources: readonly Resource[];
  /** False if the discovery of a group has failed, so that its resources are missing. */
  readonly isWhole: boolean;
}

/** The part of a terminal that discovery uses. */
export interface Asking {
  ask(request: RawRequest): Promise<unknown>;
  notice(line: string): void;
}

/** Returns every resource of every served version, starting with the preferred version of each group. */
export async function discover(terminal: Asking): Promise<Discovered> {
  const served = await terminal.ask({ method: 'GET', path: '/apis' });
  const groups = records(isRecord(served) ? served['groups'] : []).flatMap((group) => {
    const preferred = isRecord(group['preferredVersion']) ? group['preferredVersion']['version'] : undefined;
    const versions = records(group['versions']).map(({ version }) => textOf(version));
    const ordered = [...versions].sort((a, b) => Number(b === preferred) - Number(a === preferred));
    return ordered.map((version) => ({ group: textOf(group['name']), version }));
  });
  const all = [{ group: '', version: 'v1' }, ...groups];
  const found = await Promise.all(all.map((each) => resourcesOf(terminal, each)));
  return {
    resources: found.flatMap((each) => each ?? []),
    isWhole: found.every((each) => each !== undefined),
  };
}

async function resourcesOf(
  terminal: Asking,
  of: { readonly group: string; readonly version: string },
): Promise<readonly Resource[] | undefined> {
  const path = of.group === '' ? `/api/${of.version}` : `/apis/${of.group}/${of.version}`;
  try {
    const list = await terminal.ask({ method: 'GET', path });
    return records(isRecord(list) ? list['resources'] : [])
      .filter(({ name }) => !textOf(name).includes('/'))
      .map((found) => ({
        ...of,
        plural: textOf(found['name']),
        singular: textOf(found['singularName']) || textOf(found['kind']).toLowerCase(),
        shortNames: texts(found['shortNames']),
        kind: textOf(found['kind']),
        namespaced: found['namespaced'] === true,
        verbs: texts(found['verbs']),
        categories: texts(found['categories']),
      }));
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
    terminal.notice(`resources of ${apiVersionOf(of)} could not be discovered`);
    return undefined;
  }
}

/**
 * Returns the resource with a plural, singular or short name, or kind. The name may be followed by a group,
 * or by a version and a group, as in `cronjobs.v1.batch`.
 */
export function findResource(all: readonly Resource[], asked: string): Resource {
  const [name = '', ...rest] = asked.toLowerCase().split('.');
  const isMeant = ({ plural, singular, shortNames, kind, group, version }: Resource): boolean =>
    [plural, singular, kind.toLowerCase(), ...shortNames].includes(name) &&
    (rest.length === 0 || [group, `${version}.${group}`].includes(rest.join('.')));
  const found = all.find(isMeant);
  if (found === undefined)
    throw new UsageError(
      `the server has no resource ${JSON.stringify(asked)}; api-resources lists those it has`,
    );
  return found;
}

/** Returns the resource with a name, or all resources of a category, each at its preferred version. */
function resourcesNamed(all: readonly Resource[], asked: string): readonly Resource[] {
  const members = all.filter(({ categories }) => categories.includes(asked));
  if (members.length === 0) return [findResource(all, asked)];
  const isSame = (left: Resource, right: Resource): boolean =>
    left.group === right.group && left.plural === right.plural;
  return members.filter((each, at) => members.findIndex((other) => isSame(each, other)) === at);
}

/** Returns the resource for the `apiVersion` and `kind` of a manifest. */
export function resourceOfKind(all: readonly Resource[], apiVersion: string, kind: string): Resource {
  const found = all.find((each) => each.kind === kind && apiVersionOf(each) === apiVersion);
  if (found === undefined)
    throw new UsageError(`the server has no kind ${JSON.stringify(kind)} in ${JSON.stringify(apiVersion)}`);
  return found;
}

/**
 * Parses `TYPE NAME…` and `TYPE/NAME…` into resources and names. Without names, the whole collection is
 * selected.
 */
export function namedIn(
  all: readonly Resource[],
  words: readonly string[],
): readonly { readonly resource: Resource; readonly names: readonly string[] }[] {
  const [first = ''] = words;
  if (first === '')
    throw new UsageError('no resource: expected TYPE, TYPE NAME or TYPE/NAME; api-resources lists the types');
  if (!first.includes('/'))
    return first
      .split(',')
      .flatMap((type) => resourcesNamed(all, type))
      .map((resource) => ({ resource, names: words.slice(1) }));
  return words.map((word) => {
    const [type = '', name = '', ...more] = word.split('/');
    if (name === '' || more.length > 0)
      throw new UsageError(
        `${JSON.stringify(word)} names no object: expected TYPE/NAME like the first argument`,
      );
    return { resource: findResource(all, type), names: [name] };
  });
}
