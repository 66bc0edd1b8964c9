import type { ApiObject, DeepReadonly, Kind } from '../../../api/kinds/index.ts';
import {
  FieldSelectorError,
  LabelSelectorError,
  parseFieldSelector,
  parseLabelSelector,
} from '../../../api/selectors/index.ts';
import { badRequest } from '../../../api/status/index.ts';
import type { Entry, ObjectView } from '../../watch/watch-cache.ts';

/** Objects of a collection that match a label selector and a field selector. */
export interface Selection {
  readonly everything: boolean;
  /** The only name that can match, if the field selector requires one. */
  readonly name: string | undefined;
  matches(object: DeepReadonly<ApiObject>): boolean;
  /**
   * True for a cached object that matches. Uses its parsed form, or parses only the fields that the selector
   * needs.
   */
  matchesEntry(entry: Pick<Entry, 'derived' | 'peek'>): boolean;
}

interface Selectors {
  readonly labelSelector: string;
  readonly fieldSelector: string;
}

/** Properties of an object that selectors read. */
interface Traits {
  readonly labels: { readonly [key: string]: string };
  readonly name: string;
  readonly namespace: string;
  /** Values of the kind's own fields, in the order of `TraitReader.fields`. Undefined until first needed. */
  own: readonly string[] | undefined;
}

interface TraitReader {
  readonly fields: readonly string[];
  readonly traitsOf: (object: Pick<ObjectView, 'head'>) => Traits;
  readonly fieldOf: (traits: Traits, at: number, object: Pick<ObjectView, 'peek'>) => string | undefined;
}

const NO_LABELS: Traits['labels'] = Object.freeze({});
const COMMON = ['metadata.name', 'metadata.namespace'];
const traitReaders = new WeakMap<Kind, TraitReader>();

/**
 * Returns the one reader of a kind. Its function is the key under which cache entries store their traits, so
 * there must not be a second one.
 */
function traitReaderOf(kind: Kind): TraitReader {
  const known = traitReaders.get(kind);
  if (known) return known;
  const getters = Object.values(kind.selectableFields);
  const made: TraitReader = {
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
        const whole = object.peek();
        traits.own = getters.map((get) => get(whole));
      }
      return traits.own[at - COMMON.length];
    },
  };
  traitReaders.set(kind, made);
  return made;
}

/**
 * Parses selectors. Throws `ApiError` with code 400 if a selector is malformed or names a field that cannot
 * be selected by.
 */
export function parseSelection(kind: Kind, { labelSelector, fieldSelector }: Selectors): Selection {
  const labels = read(() => parseLabelSelector(labelSelector));
  const fields = read(() => parseFieldSelector(fieldSelector));
  const reader = traitReaderOf(kind);
  const tests = fieldTests(fields.requirements, (path) => fieldIndex(kind, reader, path));
  const matches = (traits: Traits, object: Pick<ObjectView, 'peek'>): boolean =>
    (labels.empty || labels.matches(traits.labels)) &&
    tests.every(({ at, accepts }) => accepts(reader.fieldOf(traits, at, object)));
  return {
    everything: labels.empty && fields.empty,
    name: fields.requiredValue('metadata.name'),
    matches: (object) => matches(reader.traitsOf({ head: object.metadata ?? {} }), { peek: () => object }),
    matchesEntry: (entry) => matches(entry.derived(reader.traitsOf), entry),
  };
}

interface FieldTest {
  readonly at: number;
  readonly accepts: (value: string | undefined) => boolean;
}

/** Returns one test per field, even for many requirements: a client may send thousands of them. */
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
    // A field cannot equal two different values.
    accepts: (value) =>
      (equal.size === 0 || (equal.size === 1 && value !== undefined && equal.has(value))) &&
      (value === undefined || !other.has(value)),
  }));
}

function fieldIndex(kind: Kind, { fields }: TraitReader, path: string): number {
  const index = fields.indexOf(path);
  const usual = Object.keys(kind.selectableFields).length === 0 && kind.schema.root === undefined;
  // A kind that defines selectable fields includes `metadata.namespace` only if it is namespaced.
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
