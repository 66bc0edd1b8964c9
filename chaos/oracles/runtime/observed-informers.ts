import { type ApiObject, type DeepReadonly, type Kind, keyOf } from '../../../api/kinds/index.ts';
import { equalJson } from '../../../api/schema/index.ts';
import { parseFieldSelector, parseLabelSelector } from '../../../api/selectors/index.ts';
import type { Informer, InformerHold, InformerScope, RunningInformers } from '../../../runtime/index.ts';
import { type LiveView, resourceOf } from '../../invariants/invariant.ts';
import type { Happening, IndexContent, Versions } from './observation.ts';

type Any = DeepReadonly<ApiObject>;
type Emit = (happening: Happening) => void;
type Values = (object: Any) => readonly string[];

/** An informer under observation. */
interface Observed {
  readonly name: string;
  readonly informer: Informer<ApiObject>;
  readonly scope: InformerScope;
  /** True if the scope selects an object, apart from the namespace. */
  readonly selects: (object: Any) => boolean;
  readonly indexes: Map<string, ObservedIndex>;
}

/** An index with all values that objects have had in it. */
interface ObservedIndex {
  readonly values: Values;
  readonly seen: Set<string>;
}

/** Informers that report their notifications and contents. */
export interface ObservedInformers {
  readonly informers: RunningInformers;
  /** Reports the content of each filled cache and of its indexes. */
  observeContent(live: LiveView): void;
}

const versionOf = ({ metadata }: Any): string => `${metadata?.uid ?? ''}@${metadata?.resourceVersion ?? ''}`;

/** Values of the index by namespace, which every store has. */
const inNamespace: Values = ({ metadata }) => [metadata?.namespace ?? ''];

/**
 * Name of an index that every observed store gets. An error in the upkeep of indexes then shows with every
 * object, not only with those in the indexes of controllers.
 */
const PROBE = 'observed';

/** Values of the probe: one that stays the same in a namespace, and one that differs in each version. */
const probed: Values = (object) => [...inNamespace(object), versionOf(object)];

/** Observes all informers of a process. */
export function observeInformers(informers: RunningInformers, emit: Emit): ObservedInformers {
  const known = new Map<Informer<ApiObject>, Observed>();
  const note = (informer: Informer<ApiObject>, scope: InformerScope): void => {
    if (known.has(informer)) return;
    // Names contain a number, because an informer of the same kind may start after another one was released.
    const name = `${resourceOf(informer.kind)} #${known.size + 1}`;
    const indexes = new Map([['namespace', { values: inNamespace, seen: new Set<string>() }]]);
    declareIndex(indexes, informer, PROBE, probed);
    const selects = selectionOf(informer.kind, scope);
    const lackingIn = (object: Any): readonly string[] =>
      [...known.values()].filter((each) => lacks(each, informer, object)).map((each) => each.name);
    known.set(informer, observe({ name, informer, scope, selects, indexes }, lackingIn, emit));
  };
  const acquire = <T extends ApiObject>(
    of: RunningInformers['of'],
    kind: Kind<T>,
    scope: InformerScope = {},
  ): Informer<T> => {
    const informer = of(kind, scope);
    note(informer as unknown as Informer<ApiObject>, scope);
    return informer;
  };
  const holdOf = (hold: InformerHold): InformerHold => ({
    ...hold,
    of: (kind, scope) => acquire(hold.of, kind, scope),
    hold: () => holdOf(hold.hold()),
  });
  return {
    informers: {
      ...informers,
      of: (kind, scope) => acquire(informers.of, kind, scope),
      hold: () => holdOf(informers.hold()),
    },
    observeContent(live) {
      const running = new Set(informers.all());
      for (const [informer, each] of known)
        if (running.has(informer) && informer.synced) observeContentOf(each, live, emit);
    },
  };
}

/** Subscribes to an informer and records the declarations of its indexes. */
function observe(observed: Observed, lackingIn: (object: Any) => readonly string[], emit: Emit): Observed {
  const { name, informer, scope, indexes } = observed;
  const isMetadataOnly = scope.metadataOnly === true;
  const note = (object: Any): void => {
    for (const { values, seen } of indexes.values()) for (const value of values(object)) seen.add(value);
  };
  informer.subscribe({
    onApply(object, previous) {
      note(object);
      emit({
        type: 'notified',
        informer: name,
        change: 'apply',
        key: keyOf(object as ApiObject),
        version: versionOf(object),
        previous: previous && versionOf(previous),
        isMetadataOnly,
        // The metadata does not contain the fields by which the other informer may select.
        lacking: isMetadataOnly || previous !== undefined ? [] : lackingIn(object),
      });
    },
    onDelete: (object) =>
      emit({
        type: 'notified',
        informer: name,
        change: 'delete',
        key: keyOf(object as ApiObject),
        version: versionOf(object),
        isMetadataOnly,
      }),
  });
  const declare = informer.index.bind(informer);
  informer.index = (index, values) => declareIndex(indexes, informer, index, values, declare);
  return observed;
}

/** Declares an index of an informer, and records it unless it is known. */
function declareIndex(
  indexes: Observed['indexes'],
  informer: Observed['informer'],
  index: string,
  values: Values,
  declare: Observed['informer']['index'] = informer.index.bind(informer),
): void {
  declare(index, values);
  if (indexes.has(index)) return;
  const all: readonly Any[] = informer.synced ? informer.store.list() : [];
  indexes.set(index, { values, seen: new Set(all.flatMap((object) => values(object))) });
}

/** True if an informer selects an object of another informer and does not contain the object. */
function lacks({ informer, scope, selects }: Observed, other: Informer<ApiObject>, object: Any): boolean {
  if (informer === other || resourceOf(informer.kind) !== resourceOf(other.kind)) return false;
  if (scope.namespace !== undefined && scope.namespace !== object.metadata?.namespace) return false;
  if (scope.metadataOnly === true || !selects(object)) return false;
  if (!informer.synced) return true;
  return informer.store.get(keyOf(object as ApiObject))?.metadata?.uid !== object.metadata?.uid;
}

function observeContentOf(
  { name, informer, scope, selects, indexes }: Observed,
  live: LiveView,
  emit: Emit,
): void {
  const all = informer.store.list();
  const stored = live.list(resourceOf(informer.kind), scope.namespace).filter(selects);
  emit({
    type: 'cache',
    informer: name,
    cached: versionsOf(all),
    server: versionsOf(stored),
    differing: differingOf(all, stored, scope.metadataOnly === true),
  });
  for (const [index, { values, seen }] of indexes)
    emit({
      type: 'index',
      informer: name,
      index,
      kept: contentOf([...seen].map((value) => [value, informer.store.byIndex(index, value)])),
      recomputed: contentOf(recompute(all, values)),
    });
}

const versionsOf = (objects: readonly Any[]): Versions =>
  Object.fromEntries(objects.map((object) => [keyOf(object as ApiObject), versionOf(object)]));

type Buckets = readonly (readonly [value: string, objects: readonly Any[]])[];

function recompute(objects: readonly Any[], values: Values): Buckets {
  const buckets = new Map<string, Any[]>();
  for (const object of objects)
    for (const value of values(object)) buckets.set(value, [...(buckets.get(value) ?? []), object]);
  return [...buckets];
}

const contentOf = (buckets: Buckets): IndexContent =>
  Object.fromEntries(
    buckets.flatMap(([value, objects]) =>
      objects.length === 0
        ? []
        : [[value, objects.map((object) => `${keyOf(object as ApiObject)} ${versionOf(object)}`).sort()]],
    ),
  );

/** Returns a predicate for the objects that a scope selects, in the kind's own version. */
function selectionOf(
  kind: Kind<ApiObject>,
  { labelSelector = '', fieldSelector = '' }: InformerScope,
): (object: Any) => boolean {
  if (labelSelector === '' && fieldSelector === '') return () => true;
  const [labels, fields] = [parseLabelSelector(labelSelector), parseFieldSelector(fieldSelector)];
  const own = Object.entries(kind.selectableFields);
  return (object) => {
    const { metadata = {} } = object;
    const { name = '', namespace = '' } = metadata;
    const values = own.map(([path, read]): [string, string] => [path, read(object) ?? '']);
    return (
      labels.matches(metadata.labels ?? {}) &&
      fields.matches({
        'metadata.name': name,
        'metadata.namespace': namespace,
        ...Object.fromEntries(values),
      })
    );
  };
}

/**
 * Returns the key of a cached object whose content differs from that of the same version on the server.
 * Undefined if there is none.
 */
function differingOf(
  cached: readonly Any[],
  stored: readonly Any[],
  metadataOnly: boolean,
): string | undefined {
  const byKey = new Map(stored.map((object) => [keyOf(object as ApiObject), object]));
  const found = cached.find((object) => {
    const same = byKey.get(keyOf(object as ApiObject));
    if (same === undefined || versionOf(same) !== versionOf(object)) return false;
    if (metadataOnly) return !equalJson(bareMetadata(object), bareMetadata(same));
    return object.apiVersion === same.apiVersion && !equalJson(bare(object), bare(same));
  });
  return found && keyOf(found as ApiObject);
}

/** Returns the metadata without the field that caches drop. */
const bareMetadata = ({ metadata }: Any): unknown => ({ ...metadata, managedFields: undefined });
const bare = (object: Any): unknown => ({ ...object, metadata: bareMetadata(object) });
