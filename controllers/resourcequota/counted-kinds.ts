import type { ApiObject, Kind } from '../../api/kinds/index.ts';
import { type QuotaEvaluator, evaluatorOf } from '../../api/quota/index.ts';
import { CodedError } from '../../base/errors/index.ts';
import { type ControllerContext, type Discovered, discover, kindOf } from '../../runtime/index.ts';

/** Kind whose objects quotas count, with the evaluator of its objects. */
export interface CountedKind {
  readonly kind: Kind<ApiObject>;
  readonly evaluator: QuotaEvaluator;
}

/** Served kinds to which the resources of a quota refer. */
export interface CountedKinds {
  readonly kinds: readonly CountedKind[];
  /** False if the server does not serve one of the kinds. The kind may be defined at any time. */
  readonly areAllServed: boolean;
}

interface Discovery extends Discovered {
  readonly atMs: number;
}

/** Time in milliseconds for which the result of a discovery is reused. */
const DISCOVERY_TTL_MS = 30_000;
const COUNT = 'count/';
/** Kinds that quotas count by dedicated resource names, in addition to `count/…`. */
const NAMED = [
  'pods',
  'services',
  'persistentvolumeclaims',
  'configmaps',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
];

/**
 * Creates a function that finds the kinds to which a quota's resources refer. Kinds that the server does not
 * serve are omitted.
 * @param onDropped called with a kind returned earlier that is no longer served, or is served at another
 * version
 */
export function createCountedKinds(
  { client, scheme, clock }: ControllerContext,
  onDropped: (counted: CountedKind) => void,
) {
  const { vocabulary } = scheme;
  const evaluators = new Map<string, CountedKind>();
  // A Map with one entry, because the explorer sees and restores only Maps and Sets.
  const discoveries = new Map<'latest', Discovery>();

  const drop = (id: string): void => {
    const dropped = evaluators.get(id);
    if (evaluators.delete(id) && dropped !== undefined) onDropped(dropped);
  };
  const countedOf = (id: string, plural: string, kind: Kind<ApiObject>): CountedKind => {
    const known = evaluators.get(id);
    if (known !== undefined && known.kind.version === kind.version) return known;
    drop(id);
    const created = { kind, evaluator: evaluatorOf({ group: kind.group, plural }, vocabulary) };
    evaluators.set(id, created);
    return created;
  };

  const builtIn = (group: string, plural: string): Kind<ApiObject> | undefined =>
    scheme.kinds.find(
      (each) =>
        each.plural === plural &&
        each.namespaced &&
        !each.virtual &&
        each.storage === undefined &&
        vocabulary.group(each.group) === group,
    ) as Kind<ApiObject> | undefined;

  async function served(group: string, plural: string, signal: AbortSignal) {
    const findIn = (discovery: Discovery | undefined) =>
      discovery?.resources.find((each) => each.group === group && each.plural === plural && each.namespaced);
    let latest = discoveries.get('latest');
    const isFresh = latest !== undefined && latest.atMs + DISCOVERY_TTL_MS > clock.monotonic();
    let found = isFresh ? findIn(latest) : undefined;
    // A cached discovery proves only presence: a resource that it lacks may be served by now.
    if (found === undefined) {
      latest = { atMs: clock.monotonic(), ...(await discover(client, signal)) };
      discoveries.set('latest', latest);
      found = findIn(latest);
    }
    if (found !== undefined) return kindOf(client, found);
    const unread = latest?.failures.find(({ groupVersion }) => groupVersion.startsWith(`${group}/`));
    if (unread === undefined) return undefined;
    // The next count repeats the discovery, because a kind that could not be read may have objects.
    discoveries.delete('latest');
    throw new CodedError(
      'ERR_KINDS_UNKNOWN',
      `cannot count ${plural}.${group}: discovery of ${unread.groupVersion} failed: ${unread.message}`,
    );
  }

  return async (names: readonly string[], signal: AbortSignal): Promise<CountedKinds> => {
    const kinds: CountedKind[] = [];
    let areAllServed = true;
    const ids = new Set([
      ...NAMED.map((plural) => ['', plural] as const).map(idOf),
      ...names.flatMap(counted),
    ]);
    for (const id of ids) {
      const { group, plural } = parseId(id);
      const kind = builtIn(group, plural) ?? (await served(group, plural, signal));
      if (kind === undefined) {
        // A kind that is defined again is treated as another kind.
        drop(id);
        areAllServed = false;
        continue;
      }
      const found = countedOf(id, plural, kind);
      if (found.evaluator.matchingResources(names).length > 0) kinds.push(found);
    }
    return { kinds, areAllServed };
  };
}

const idOf = ([group, plural]: readonly [group: string, plural: string]): string =>
  group === '' ? plural : `${plural}.${group}`;

/** Returns `deployments.apps` for `count/deployments.apps`, and an empty list for other names. */
const counted = (name: string): readonly string[] =>
  name.startsWith(COUNT) ? [name.slice(COUNT.length)] : [];

function parseId(id: string): { readonly group: string; readonly plural: string } {
  const dot = id.indexOf('.');
  return dot < 0 ? { group: '', plural: id } : { group: id.slice(dot + 1), plural: id.slice(0, dot) };
}
