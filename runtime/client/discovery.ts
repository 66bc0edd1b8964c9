import type { ApiObject, Kind, Verb } from '../../api/kinds/kind.ts';
import { messageOf } from '../../base/errors/coded.ts';
import type { Client } from './client.ts';
import { customKind } from './custom-kind.ts';

/** A resource as the server describes it, subresources left out. */
export interface DiscoveredResource {
  /** As served, '' for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

export interface Discovered {
  readonly resources: readonly DiscoveredResource[];
  /** Group versions that could not be read: what is missing from `resources` may still exist. */
  readonly failures: readonly { readonly groupVersion: string; readonly message: string }[];
}

interface Version {
  readonly groupVersion?: string;
}
interface GroupList {
  readonly groups?: readonly {
    readonly preferredVersion?: Version;
    readonly versions?: readonly Version[];
  }[];
}
interface ResourceList {
  readonly resources?: readonly {
    readonly name?: string;
    readonly kind?: string;
    readonly namespaced?: boolean;
    readonly verbs?: readonly string[];
  }[];
}

/**
 * Reads what the server serves, each resource at its group's preferred version, or at another where that has none of it.
 * Rejects only when the groups cannot be read at all.
 */
export async function discover(client: Client, signal?: AbortSignal): Promise<Discovered> {
  const read = async (path: string): Promise<unknown> =>
    (await client.request({ method: 'GET', path, ...(signal ? { signal } : {}) })).body;
  const { groups = [] } = (await read('/apis')) as GroupList;
  const versions = ['v1', ...groups.flatMap(versionsOf)];
  const resources = new Map<string, DiscoveredResource>();
  const failures: { groupVersion: string; message: string }[] = [];
  for (const groupVersion of versions) {
    const [group, version] = groupVersion.includes('/')
      ? (groupVersion.split('/') as [string, string])
      : ['', groupVersion];
    try {
      const list = (await read(group === '' ? `/api/${version}` : `/apis/${groupVersion}`)) as ResourceList;
      for (const { name = '', kind = '', namespaced = false, verbs = [] } of list.resources ?? []) {
        const known = `${group}/${name}`;
        if (!name.includes('/') && !resources.has(known))
          resources.set(known, { group, version, kind, plural: name, namespaced, verbs });
      }
    } catch (thrown) {
      if (signal?.aborted) throw thrown;
      failures.push({ groupVersion, message: messageOf(thrown) });
    }
  }
  return { resources: [...resources.values()], failures };
}

/** The preferred one first. */
function versionsOf({ preferredVersion, versions = [] }: NonNullable<GroupList['groups']>[number]) {
  const names = [preferredVersion, ...versions].flatMap((version) => version?.groupVersion ?? []);
  return [...new Set(names)];
}

/** A kind for use with a client and informers, where the program declares none itself. Its objects are not decoded. */
export const kindOf = (client: Client, resource: DiscoveredResource): Kind<ApiObject> => {
  const group = client.scheme.vocabulary.plainGroup(resource.group);
  const known = client.scheme.byResource(resource.group, resource.version, resource.plural);
  if (known) return known as unknown as Kind<ApiObject>;
  const { version, kind, plural, namespaced } = resource;
  return customKind({ group, version, kind, plural, namespaced, verbs: resource.verbs as readonly Verb[] });
};
