import type { ResourceName } from '../model/view.ts';
import { firstItem, withoutManagedFields } from '../model/yaml-text.ts';
import { Refused, ask, askJson } from './access.ts';

/** An object as JSON; only what the page looks at is named. */
export interface PlainObject {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly OwnerReference[];
  };
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

const versionPath = ({ group, version }: Pick<ResourceName, 'group' | 'version'>): string =>
  group === '' ? `/api/${version}` : `/apis/${group}/${version}`;

/** `group/version/plural`: how the page's addresses name a resource. */
export const resourceId = ({ group, version, plural }: ResourceName): string =>
  `${group}/${version}/${plural}`;

export const splitName = (object: string): { readonly namespace: string; readonly name: string } => {
  const slash = object.indexOf('/');
  return { namespace: object.slice(0, Math.max(0, slash)), name: object.slice(slash + 1) };
};

export const nameOf = ({ metadata = {} }: PlainObject): string =>
  metadata.namespace === undefined ? (metadata.name ?? '') : `${metadata.namespace}/${metadata.name ?? ''}`;

export function collectionPath(resource: ResourceName, namespace = ''): string {
  const scope = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${versionPath(resource)}${scope}/${resource.plural}`;
}

export function objectPath(resource: ResourceName, object: string): string {
  const { namespace, name } = splitName(object);
  return `${collectionPath(resource, namespace)}/${encodeURIComponent(name)}`;
}

export const YAML = 'application/yaml';

/** An object as YAML, without its managed fields; undefined where it is not there. */
export async function readYaml(resource: ResourceName, object: string): Promise<string | undefined> {
  return missing(async () =>
    withoutManagedFields(await (await ask(objectPath(resource, object), { accept: YAML })).text()),
  );
}

export const readObject = (resource: ResourceName, object: string): Promise<PlainObject | undefined> =>
  missing(() => askJson<PlainObject>(objectPath(resource, object)));

async function missing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (thrown) {
    if (thrown instanceof Refused && thrown.status === 404) return undefined;
    throw thrown;
  }
}

/**
 * An object as YAML as it was at a version, which the server knows for as long as it keeps history: a list of exactly that
 * version. Undefined where it was not there. Throws `Refused` with 410 once the history is gone.
 */
export async function readYamlAt(
  resource: ResourceName,
  object: string,
  resourceVersion: string,
): Promise<string | undefined> {
  const { namespace, name } = splitName(object);
  const query = new URLSearchParams({
    fieldSelector: `metadata.name=${name}`,
    resourceVersion,
    resourceVersionMatch: 'Exact',
  });
  const text = await (await ask(`${collectionPath(resource, namespace)}?${query}`, { accept: YAML })).text();
  const item = firstItem(text);
  return item && withoutManagedFields(item);
}

export interface Permissions {
  readonly update: boolean;
  readonly delete: boolean;
}

/** What the person who looks may do with an object, by the server's own word. */
export async function permissions(
  authorizationGroup: string,
  resource: ResourceName,
  object: string,
): Promise<Permissions> {
  const { namespace, name } = splitName(object);
  const may = async (verb: string): Promise<boolean> => {
    const review = await askJson<{ readonly status?: { readonly allowed?: boolean } }>(
      `/apis/${authorizationGroup}/v1/selfsubjectaccessreviews`,
      {
        method: 'POST',
        contentType: 'application/json',
        body: JSON.stringify({
          spec: {
            resourceAttributes: { verb, group: resource.group, resource: resource.plural, namespace, name },
          },
        }),
      },
    ).catch(() => undefined);
    return review?.status?.allowed === true;
  };
  const [update, remove] = await Promise.all([may('update'), may('delete')]);
  return { update, delete: remove };
}

interface DiscoveredList {
  readonly groupVersion: string;
  readonly resources: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
    readonly verbs: readonly string[];
  }[];
}

export interface ServedResource extends ResourceName {
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** Every resource that can be listed, at the version the server prefers, in the order of names. */
export async function discover(): Promise<readonly ServedResource[]> {
  const groups = await askJson<{ groups: readonly { preferredVersion: { groupVersion: string } }[] }>(
    '/apis',
  );
  const paths = [
    '/api/v1',
    ...groups.groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`),
  ];
  const lists = await Promise.all(paths.map((path) => askJson<DiscoveredList>(path).catch(() => undefined)));
  return lists
    .flatMap((list) => (list === undefined ? [] : resourcesOf(list)))
    .sort((a, b) => a.plural.localeCompare(b.plural) || a.group.localeCompare(b.group));
}

function resourcesOf({ groupVersion, resources }: DiscoveredList): readonly ServedResource[] {
  const [version = '', group = ''] = groupVersion.split('/').reverse();
  return resources
    .filter(({ name, verbs }) => !name.includes('/') && verbs.includes('list'))
    .map(({ name, kind, namespaced, verbs }) => ({ group, version, plural: name, kind, namespaced, verbs }));
}
