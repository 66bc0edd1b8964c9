import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';
import type { OwnerReference } from '../../api/types/meta-v1.ts';
import type { ControllerContext, InformerHandler } from '../../runtime/index.ts';
import type { Followed, Graph } from './graph.ts';

type Served = Pick<Graph, 'ownerResource' | 'servedVersions'>;

type Any = DeepReadonly<ApiObject>;

/** Reference to an owner at a version or of a kind that the server does not serve. */
interface Unserved {
  readonly followed: Followed;
  readonly dependent: { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly reference: DeepReadonly<OwnerReference>;
  /**
   * Number of discoveries that had begun when the reference was first found. Only a later discovery can
   * confirm the reference.
   */
  readonly discovery: number;
}

/**
 * Record of references to owners that cannot be read, because their version or kind is not served. Such an
 * owner counts as existing, so its dependents are never collected. Each reference is reported by an event and
 * counted in a gauge.
 */
export interface UnservedOwners {
  /** Returns the handler that tracks the references of one resource. */
  handlerOf(followed: Followed): InformerHandler<ApiObject>;
  /** Checks the references of these resources again, after a discovery has changed the served resources. */
  reassess(followed: Iterable<Followed>): void;
  /** Called when a discovery begins. */
  discoveryBegins(): void;
  /**
   * Called when a discovery has ended. Reports the references that the discovery confirms: they were observed
   * before it began, and their group version could be read.
   * @param unread group versions that the discovery could not read
   */
  discoveryEnded(unread: ReadonlySet<string>): void;
}

/**
 * Maximum number of label sets of the gauge. Further references are counted as `other`, because clients
 * choose the names in references.
 */
const MAX_LABEL_SETS = 100;
const MAX_LABEL_LENGTH = 253;
const OTHER = ['other', 'other', 'other'] as const;

const HELP =
  'Number of owner references that name a version or kind which is not served; their objects are not collected.';

export function createUnservedOwners(
  { events, metrics }: Pick<ControllerContext, 'events' | 'metrics'>,
  graph: Served,
): UnservedOwners {
  /** Tracked references by the uid of the dependent, then by reference. */
  const tracked = new Map<string, ReadonlyMap<string, Unserved>>();
  const waiting = new Set<Unserved>();
  const count = countBy(metrics);
  let discoveries = 0;

  const isServed = ({ apiVersion, kind }: DeepReadonly<OwnerReference>): boolean =>
    graph.ownerResource(apiVersion, kind) !== undefined;
  const track = (uid: string, now: ReadonlyMap<string, Unserved>): void => {
    const before = tracked.get(uid);
    for (const [key, each] of before ?? [])
      if (!now.has(key)) {
        waiting.delete(each);
        count(each.reference, -1);
      }
    for (const [key, each] of now)
      if (before?.has(key) !== true) {
        waiting.add(each);
        count(each.reference, 1);
      }
    if (now.size > 0) tracked.set(uid, now);
    else tracked.delete(uid);
  };
  const assess = (followed: Followed, { metadata }: Any, discovery = discoveries): void => {
    const { name = '', namespace = '', uid = '', ownerReferences = [] } = metadata ?? {};
    const before = tracked.get(uid);
    const unserved = ownerReferences.filter((each) => !isServed(each));
    if (before === undefined && unserved.length === 0) return;
    const dependent = { name, namespace, uid };
    const entries = unserved.map((reference) => {
      const key = JSON.stringify([reference.apiVersion, reference.kind, reference.uid]);
      const known = before?.get(key);
      return [key, known ?? { followed, dependent, reference, discovery }] as const;
    });
    track(uid, new Map(entries));
  };

  return {
    handlerOf: (followed) => ({
      onApply: (object) => assess(followed, object),
      onDelete: ({ metadata }) => track(metadata?.uid ?? '', new Map()),
    }),
    reassess(all) {
      for (const followed of all)
        if (followed.informer.synced)
          for (const object of followed.informer.store.list()) assess(followed, object, discoveries - 1);
    },
    discoveryBegins: () => void discoveries++,
    discoveryEnded(unread) {
      for (const each of waiting) {
        if (each.discovery >= discoveries || unread.has(each.reference.apiVersion)) continue;
        waiting.delete(each);
        report(events, graph, each);
      }
    },
  };
}

/**
 * Returns a function that counts references by the group, version and kind of the owner, with a bounded
 * number of label sets.
 */
function countBy(metrics: ControllerContext['metrics']) {
  const gauge = metrics.gauge('garbagecollector_controller_unserved_owner_references', HELP, [
    'group',
    'version',
    'kind',
  ]);
  const known = new Set<string>();
  const labelsOf = ({ apiVersion, kind }: DeepReadonly<OwnerReference>): readonly string[] => {
    const slash = apiVersion.indexOf('/');
    const labels = [apiVersion.slice(0, Math.max(0, slash)), apiVersion.slice(slash + 1), kind];
    const key = JSON.stringify(labels);
    if (known.has(key)) return labels;
    if (known.size >= MAX_LABEL_SETS || labels.some((each) => each.length > MAX_LABEL_LENGTH)) return OTHER;
    known.add(key);
    return labels;
  };
  return (reference: DeepReadonly<OwnerReference>, by: number): void =>
    gauge.at(...labelsOf(reference)).add(by);
}

function report(
  events: ControllerContext['events'],
  graph: Served,
  { followed, dependent, reference }: Unserved,
): void {
  const { group, version, kind } = followed.resource;
  const { name, namespace, uid } = dependent;
  const { apiVersion, kind: ownerKind, name: owner, uid: ownerUid } = reference;
  const served = graph.servedVersions(apiVersion, ownerKind);
  const what =
    served.length > 0
      ? `names a version that is not served; served are ${served.join(', ')}`
      : 'names a kind that is not served';
  events.record(
    {
      kind,
      apiVersion: group === '' ? version : `${group}/${version}`,
      metadata: { name, uid, ...(namespace === '' ? {} : { namespace }) },
    },
    'Warning',
    'OwnerRefNotServed',
    `ownerRef [${apiVersion}/${ownerKind}, namespace: ${namespace}, name: ${owner}, uid: ${ownerUid}] ${what}; ` +
      'the object is not collected until the reference is corrected',
  );
}
