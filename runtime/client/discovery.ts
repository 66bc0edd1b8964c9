import type { ApiObject, Kind, Verb } from '../../api/kinds/kind.ts';
import { ApiError } from '../../api/status/api-error.ts';
import { messageOf } from '../../base/errors/coded.ts';
import { headerOf } from './answer.ts';
import { isRecord } from '../../base/collections/record.ts';
import type { Client } from './client.ts';
import { customKind } from './custom-kind.ts';
import { NOT_MODIFIED } from './sender.ts';

/** A resource as the server describes it, subresources left out. */
export interface DiscoveredResource {
  /** As served, '' for the core group. */
  readonly group: string;
  readonly version: string;
  /** Every version at which its group serves it, `version` among them. */
  readonly versions: readonly string[];
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/** As one group version has it. */
type ListedResource = Omit<DiscoveredResource, 'versions'>;

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

/** All groups with all they have in one document (`apidiscovery/v2`). */
interface AggregatedDocument {
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly AggregatedVersion[];
  }[];
}
interface AggregatedVersion {
  readonly version?: string;
  /** `Stale` where the server that serves it could not be asked of late. */
  readonly freshness?: string;
  readonly resources?: readonly {
    readonly resource?: string;
    readonly responseKind?: { readonly kind?: string };
    readonly scope?: string;
    readonly verbs?: readonly string[];
  }[];
}

/** What one group version has, the preferred of its group before the others; or why that is not known. */
interface Section {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly ListedResource[];
  readonly problem?: string;
}

/**
 * Reads what the server serves, each resource at its group's preferred version, or at another where that has none of it:
 * from two documents, which a server that has not changed since does not send again, or from one for each group version
 * where the server knows no such documents. Rejects only when the groups cannot be read at all.
 */
export async function discover(client: Client, signal?: AbortSignal): Promise<Discovered> {
  const read = aggregatedReader(client, signal);
  const groups = await read('/apis');
  if (!isAggregated(groups)) return joined(await readEach(groups as GroupList, client, signal));
  const core = await settled('', 'v1', signal, async () => aggregatedSections(await read('/api')));
  const last = summaries.get(groups);
  if (last?.core === core) return last.discovered;
  const discovered = joined([...core, ...aggregatedSections(groups)]);
  summaries.set(groups, { core, discovered });
  return discovered;
}

/** What a document of groups was found to mean, with that of the core group: mostly neither has changed since. */
const summaries = new WeakMap<
  object,
  { readonly core: readonly Section[]; readonly discovered: Discovered }
>();

function joined(sections: readonly Section[]): Discovered {
  const found = new Map<string, { readonly first: ListedResource; readonly versions: string[] }>();
  for (const resource of sections.flatMap((section) => section.resources)) {
    const name = `${resource.group}/${resource.plural}`;
    const known = found.get(name);
    if (known) known.versions.push(resource.version);
    else found.set(name, { first: resource, versions: [resource.version] });
  }
  return {
    resources: [...found.values()].map(({ first, versions }) => ({ versions, ...first })),
    failures: sections.flatMap(({ group, version, problem: message }) =>
      message === undefined ? [] : { groupVersion: group === '' ? version : `${group}/${version}`, message },
    ),
  };
}

/** What the server said last, and by which tag it knows that. */
interface Remembered {
  readonly etag: string;
  readonly body: unknown;
}
const memories = new WeakMap<Client, Map<string, Remembered>>();

/** Asks for the aggregated form of a document, and for none at all where what was said last still holds. */
function aggregatedReader(
  client: Client,
  signal: AbortSignal | undefined,
): (path: string) => Promise<unknown> {
  const memory = memories.get(client) ?? new Map<string, Remembered>();
  memories.set(client, memory);
  const group = client.scheme.vocabulary.group('apidiscovery');
  const forms = ['v2', 'v2beta1'].map((v) => `application/json;g=${group};v=${v};as=APIGroupDiscoveryList`);
  const accept = [...forms, 'application/json'].join(',');
  return async (path) => {
    const last = memory.get(path);
    const { status, headers, body } = await client.request({
      method: 'GET',
      path,
      headers: { accept, ...(last && { 'if-none-match': last.etag }) },
      ...(signal && { signal }),
    });
    if (last !== undefined && status === NOT_MODIFIED) return last.body;
    const etag = headerOf(headers, 'etag');
    if (etag === undefined) memory.delete(path);
    else memory.set(path, { etag, body });
    return body;
  };
}

const isAggregated = (body: unknown): body is AggregatedDocument =>
  isRecord(body) && body['kind'] === 'APIGroupDiscoveryList';

/** Of documents that were read before and still hold. */
const sectionsRead = new WeakMap<object, readonly Section[]>();

function aggregatedSections(body: unknown): readonly Section[] {
  if (!isRecord(body)) return [];
  const known = sectionsRead.get(body);
  if (known !== undefined) return known;
  const sections = ((body as AggregatedDocument).items ?? []).flatMap(({ metadata, versions = [] }) =>
    versions.map((each) => aggregatedSection(metadata?.name ?? '', each)),
  );
  sectionsRead.set(body, sections);
  return sections;
}

function aggregatedSection(group: string, section: AggregatedVersion): Section {
  const { version = '', resources = [], freshness } = section;
  return {
    group,
    version,
    resources: resources.map(({ resource: plural = '', responseKind, scope, verbs = [] }) => {
      const namespaced = scope === 'Namespaced';
      return { group, version, kind: responseKind?.kind ?? '', plural, namespaced, verbs };
    }),
    ...(freshness === 'Stale' && { problem: UNAVAILABLE }),
  };
}

/** One document for each group version. */
async function readEach(
  { groups = [] }: GroupList,
  client: Client,
  signal: AbortSignal | undefined,
): Promise<Section[]> {
  const sections: Section[] = [];
  for (const groupVersion of ['v1', ...groups.flatMap(versionsOf)]) {
    const at = groupVersion.lastIndexOf('/');
    const group = groupVersion.slice(0, Math.max(0, at));
    const version = groupVersion.slice(at + 1);
    const path = group === '' ? `/api/${version}` : `/apis/${groupVersion}`;
    const found = await settled(group, version, signal, async () => {
      const { body } = await client.request({ method: 'GET', path, ...(signal && { signal }) });
      const { resources = [] } = body as ResourceList;
      const own = resources.filter(({ name = '' }) => !name.includes('/'));
      return [
        {
          group,
          version,
          resources: own.map(({ name: plural = '', kind = '', namespaced = false, verbs = [] }) => {
            return { group, version, kind, plural, namespaced, verbs };
          }),
        },
      ];
    });
    sections.push(...found);
  }
  return sections;
}

/** A group version that cannot be read is a section that says why. */
async function settled(
  group: string,
  version: string,
  signal: AbortSignal | undefined,
  read: () => Promise<readonly Section[]>,
): Promise<readonly Section[]> {
  try {
    return await read();
  } catch (thrown) {
    if (signal?.aborted) throw thrown;
    return [{ group, version, resources: [], problem: problemOf(thrown) }];
  }
}

/** Of a server behind an API service that is down, in the words of other clients: mostly it answers no more than that. */
const UNAVAILABLE = 'the server is currently unable to handle the request';

const problemOf = (thrown: unknown): string =>
  thrown instanceof ApiError && thrown.status.code === 503 && thrown.status.reason === 'Unknown'
    ? UNAVAILABLE
    : messageOf(thrown);

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
