import type { ResourceName } from '../model/view.ts';
import { type PlainObject, collectionPath, objectPath, splitName } from '../model/object-path.ts';
import { firstItem, withoutManagedFields } from '../model/yaml-text.ts';
import { ResponseError, send, sendForJson } from './access.ts';

export {
  type OwnerReference,
  type PlainObject,
  collectionPath,
  nameOf,
  objectPath,
  resourceId,
  splitName,
} from '../model/object-path.ts';

export const YAML = 'application/yaml';

/** Reads an object as YAML without its managed fields. Returns undefined if the object does not exist. */
export async function readYaml(resource: ResourceName, object: string): Promise<string | undefined> {
  return missing(async () =>
    withoutManagedFields(await (await send(objectPath(resource, object), { accept: YAML })).text()),
  );
}

/** Reads an object as JSON. Returns undefined if the object does not exist. */
export const readObject = (resource: ResourceName, object: string): Promise<PlainObject | undefined> =>
  missing(() => sendForJson<PlainObject>(objectPath(resource, object)));

async function missing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (thrown) {
    if (thrown instanceof ResponseError && thrown.status === 404) return undefined;
    throw thrown;
  }
}

/**
 * Reads the YAML of an object at a resource version; undefined if the object did not exist at that version. A
 * GET cannot request an exact version, so this sends a list with `resourceVersionMatch=Exact`. Throws a
 * `ResponseError` with 410 if the server has compacted the version.
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
  const text = await (await send(`${collectionPath(resource, namespace)}?${query}`, { accept: YAML })).text();
  const item = firstItem(text);
  return item && withoutManagedFields(item);
}

/** Verbs that the user may use on one object. */
export interface Permissions {
  readonly update: boolean;
  readonly delete: boolean;
}

/** Reads the permissions with SelfSubjectAccessReviews. If a review fails, its verb counts as not permitted. */
export async function permissions(
  authorizationGroup: string,
  resource: ResourceName,
  object: string,
): Promise<Permissions> {
  const { namespace, name } = splitName(object);
  const may = async (verb: string): Promise<boolean> => {
    const review = await sendForJson<{ readonly status?: { readonly allowed?: boolean } }>(
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

/** A resource from discovery. */
export interface ServedResource extends ResourceName {
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** Returns every listable resource at its preferred version, sorted by name. */
export async function discover(): Promise<readonly ServedResource[]> {
  const groups = await sendForJson<{ groups: readonly { preferredVersion: { groupVersion: string } }[] }>(
    '/apis',
  );
  const paths = [
    '/api/v1',
    ...groups.groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`),
  ];
  const lists = await Promise.all(
    paths.map((path) => sendForJson<DiscoveredList>(path).catch(() => undefined)),
  );
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
