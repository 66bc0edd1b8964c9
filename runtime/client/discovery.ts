import type { ApiObject, Kind, Verb } from '../../api/kinds/index.ts';
import { ApiError } from '../../api/status/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import { headerOf } from './response.ts';
import { isRecord } from '../../base/collections/index.ts';
import type { Client } from './client.ts';
import { customKind } from './custom-kind.ts';
import { NOT_MODIFIED } from './sender.ts';

/** A resource that the server serves, without its subresources. */
export interface DiscoveredResource {
  /** Group name as served; '' for the core group. */
  readonly group: string;
  readonly version: string;
  /** All versions at which the group serves the resource, including `version`. */
  readonly versions: readonly string[];
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/** A resource of one group version. */
type ListedResource = Omit<DiscoveredResource, 'versions'>;

/** Result of `discover`. */
export interface Discovered {
  readonly resources: readonly DiscoveredResource[];
  /** Group versions that could not be read. Their resources may exist although `resources` lacks them. */
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
 * Aggregated discovery document (`apidiscovery.k8s.io/v2`); see
 * https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery.
 */
interface AggregatedDocument {
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly AggregatedVersion[];
  }[];
}
interface AggregatedVersion {
  readonly version?: string;
  /** `Stale` if the server of the group version was unreachable recently. */
  readonly freshness?: string;
  readonly resources?: readonly {
    readonly resource?: string;
    readonly responseKind?: { readonly kind?: string };
    readonly scope?: string;
    readonly verbs?: readonly string[];
  }[];
}

/**
 * Resources of one group version, or the reason why they are unknown. Lists of sections have the preferred
 * version of each group first.
 */
interface Section {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly ListedResource[];
  readonly problem?: string;
}

/**
 * Reads the resources that the server serves. Each resource has the preferred version of its group, or the
 * next version that serves the resource.
 *
 * Reads the two aggregated documents, which the server sends again only after a change. If the server does
 * not support them, reads one document for each group version. Rejects only if the list of groups cannot be
 * read.
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

/**
 * Cached results by aggregated document of `/apis`, each with the sections of `/api` that it was computed
 * from.
 */
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

/** Last response for a path, with its ETag. */
interface Remembered {
  readonly etag: string;
  readonly body: unknown;
}
const memories = new WeakMap<Client, Map<string, Remembered>>();

/**
 * Returns a function that reads an aggregated document, or returns the cached document if it is unchanged.
 */
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

/** Cached sections by document, for documents that are unchanged. */
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

/** Reads one discovery document for each group version. */
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

/**
 * Returns the sections that `read` returns. After a failure, returns one section that has the reason and no
 * resources.
 */
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

/** Message of client-go for an unavailable API service, whose response usually has no Status. */
const UNAVAILABLE = 'the server is currently unable to handle the request';

const problemOf = (thrown: unknown): string =>
  thrown instanceof ApiError && thrown.status.code === 503 && thrown.status.reason === 'Unknown'
    ? UNAVAILABLE
    : messageOf(thrown);

/** Returns the group versions of a group, the preferred version first. */
function versionsOf({ preferredVersion, versions = [] }: NonNullable<GroupList['groups']>[number]) {
  const names = [preferredVersion, ...versions].flatMap((version) => version?.groupVersion ?? []);
  return [...new Set(names)];
}

/**
 * Returns the kind that the scheme declares for a resource. Otherwise creates a kind whose objects are not
 * decoded.
 */
export const kindOf = (client: Client, resource: DiscoveredResource): Kind<ApiObject> => {
  const group = client.scheme.vocabulary.plainGroup(resource.group);
  const known = client.scheme.byResource(resource.group, resource.version, resource.plural);
  if (known) return known as unknown as Kind<ApiObject>;
  const { version, kind, plural, namespaced } = resource;
  return customKind({ group, version, kind, plural, namespaced, verbs: resource.verbs as readonly Verb[] });
};
