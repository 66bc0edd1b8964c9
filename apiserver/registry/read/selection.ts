import type { ApiObject, DeepReadonly, Kind } from '../../../api/kinds/kind.ts';
import { FieldSelectorError, parseFieldSelector } from '../../../api/selectors/fields.ts';
import { LabelSelectorError, parseLabelSelector } from '../../../api/selectors/labels.ts';
import { badRequest } from '../../../api/status/api-error.ts';
import type { Entry, Glimpse } from '../../watch/watch-cache.ts';

/** Which objects of a collection are meant. */
export interface Selection {
  readonly everything: boolean;
  /** The only name that can match, where the field selector says so. */
  readonly name: string | undefined;
  matches(object: DeepReadonly<ApiObject>): boolean;
  /** The same of an object in the cache, without parsing it a second time, or more of it than is asked about. */
  matchesEntry(entry: Pick<Entry, 'derived' | 'glance'>): boolean;
}

interface Selectors {
  readonly labelSelector: string;
  readonly fieldSelector: string;
}

/** What selectors look at. */
interface Traits {
  readonly labels: { readonly [key: string]: string };
  readonly name: string;
  readonly namespace: string;
  /** The kind's own fields, in the order of `Traiting.fields`; undefined until somebody asks. */
  own: readonly string[] | undefined;
}

interface Traiting {
  readonly fields: readonly string[];
  readonly traitsOf: (object: Pick<Glimpse, 'head'>) => Traits;
  readonly fieldOf: (traits: Traits, at: number, object: Pick<Glimpse, 'glance'>) => string | undefined;
}

const NO_LABELS: Traits['labels'] = Object.freeze({});
const COMMON = ['metadata.name', 'metadata.namespace'];
const traitings = new WeakMap<Kind, Traiting>();

/** One for each kind, so that what it has taken from an object can be kept with the object. */
function traitingOf(kind: Kind): Traiting {
  const known = traitings.get(kind);
  if (known) return known;
  const getters = Object.values(kind.selectableFields);
  const made: Traiting = {
    fields: [...COMMON, ...Object.keys(kind.selectableFields)],
    traitsOf: ({ head: { labels = NO_LABELS, name = '', namespace = '' } }) => ({
      labels,
      name,
      namespace,
      own: undefined,
    }),
    fieldOf(traits, at, object) {
      if (at < COMMON.length) return at === 0 ? traits.name : traits.namespace;
      if (traits.own === undefined) {
        const whole = object.glance();
        traits.own = getters.map((get) => get(whole));
      }
      return traits.own[at - COMMON.length];
    },
  };
  traitings.set(kind, made);
  return made;
}

/** Throws 400 for selectors that cannot be read or name a field that cannot be selected by. */
export function parseSelection(kind: Kind, { labelSelector, fieldSelector }: Selectors): Selection {
  const labels = read(() => parseLabelSelector(labelSelector));
  const fields = read(() => parseFieldSelector(fieldSelector));
  const traiting = traitingOf(kind);
  const tests = fieldTests(fields.requirements, (path) => fieldIndex(kind, traiting, path));
  const matches = (traits: Traits, object: Pick<Glimpse, 'glance'>): boolean =>
    (labels.empty || labels.matches(traits.labels)) &&
    tests.every(({ at, accepts }) => accepts(traiting.fieldOf(traits, at, object)));
  return {
    everything: labels.empty && fields.empty,
    name: fields.requiredValue('metadata.name'),
    matches: (object) =>
      matches(traiting.traitsOf({ head: object.metadata ?? {} }), { glance: () => object }),
    matchesEntry: (entry) => matches(entry.derived(traiting.traitsOf), entry),
  };
}

interface FieldTest {
  readonly at: number;
  readonly accepts: (value: string | undefined) => boolean;
}

/** One test a field, however many requirements there are of it: a client may send thousands. */
function fieldTests(
  requirements: readonly { readonly path: string; readonly op: '=' | '!='; readonly value: string }[],
  indexOf: (path: string) => number,
): readonly FieldTest[] {
  const byField = new Map<number, { readonly equal: Set<string>; readonly other: Set<string> }>();
  for (const { path, op, value } of requirements) {
    const at = indexOf(path);
    const values = byField.get(at) ?? { equal: new Set(), other: new Set() };
    byField.set(at, values);
    values[op === '=' ? 'equal' : 'other'].add(value);
  }
  return [...byField].map(([at, { equal, other }]) => ({
    at,
    // Of two different values none is equal to both.
    accepts: (value) =>
      (equal.size === 0 || (equal.size === 1 && value !== undefined && equal.has(value))) &&
      (value === undefined || !other.has(value)),
  }));
}

function fieldIndex(kind: Kind, { fields }: Traiting, path: string): number {
  const index = fields.indexOf(path);
  const usual = Object.keys(kind.selectableFields).length === 0 && kind.schema.root === undefined;
  // A kind with fields of its own says of all of them what it can be selected by.
  const known = index >= 0 && (usual || kind.namespaced || path !== 'metadata.namespace');
  if (known) return index;
  const shown = JSON.stringify(path);
  if (kind.selectorKind !== undefined)
    throw badRequest(`field label ${shown} not supported for ${kind.selectorKind}`);
  throw badRequest(
    usual
      ? `${shown} is not a known field selector: only "metadata.name", "metadata.namespace"`
      : `field label not supported: ${path}`,
  );
}

function read<T>(parse: () => T): T {
  try {
    return parse();
  } catch (thrown) {
    if (thrown instanceof LabelSelectorError || thrown instanceof FieldSelectorError)
      throw badRequest(thrown.message);
    throw thrown;
  }
}
