import type { ApiObject, DeepReadonly, Kind } from '../../api/kinds/kind.ts';
import { FieldSelectorError, parseFieldSelector } from '../../api/selectors/fields.ts';
import { LabelSelectorError, parseLabelSelector } from '../../api/selectors/labels.ts';
import { badRequest } from '../../api/status/api-error.ts';
import type { Entry } from '../watch/watch-cache.ts';

/** Which objects of a collection are meant. */
export interface Selection {
  readonly everything: boolean;
  /** The only name that can match, where the field selector says so. */
  readonly name: string | undefined;
  matches(object: DeepReadonly<ApiObject>): boolean;
  /** The same of an object in the cache, without parsing it a second time. */
  matchesEntry(entry: Pick<Entry, 'derived'>): boolean;
}

interface Selectors {
  readonly labelSelector: string;
  readonly fieldSelector: string;
}

/** What selectors look at. */
interface Traits {
  readonly labels: { readonly [key: string]: string };
  /** In the order of `Traiting.fields`. */
  readonly fields: readonly string[];
}

interface Traiting {
  readonly fields: readonly string[];
  readonly traitsOf: (object: DeepReadonly<ApiObject>) => Traits;
}

const NO_LABELS: Traits['labels'] = Object.freeze({});
const traitings = new WeakMap<Kind, Traiting>();

/** One for each kind, so that what it has taken from an object can be kept with the object. */
function traitingOf(kind: Kind): Traiting {
  const known = traitings.get(kind);
  if (known) return known;
  const own = Object.entries(kind.selectableFields);
  const getters = own.map(([, get]) => get);
  const made: Traiting = {
    fields: ['metadata.name', 'metadata.namespace', ...own.map(([path]) => path)],
    traitsOf: (object) => ({
      labels: object.metadata?.labels ?? NO_LABELS,
      fields: [
        object.metadata?.name ?? '',
        object.metadata?.namespace ?? '',
        ...getters.map((get) => get(object)),
      ],
    }),
  };
  traitings.set(kind, made);
  return made;
}

/** Throws 400 for selectors that cannot be read or name a field that cannot be selected by. */
export function parseSelection(kind: Kind, { labelSelector, fieldSelector }: Selectors): Selection {
  const labels = read(() => parseLabelSelector(labelSelector));
  const fields = read(() => parseFieldSelector(fieldSelector));
  const traiting = traitingOf(kind);
  const tests = fields.requirements.map(({ path, op, value }) => ({
    at: fieldIndex(kind, traiting, path),
    equal: op === '=',
    value,
  }));
  const matches = (traits: Traits): boolean =>
    (labels.empty || labels.matches(traits.labels)) &&
    tests.every(({ at, equal, value }) => (traits.fields[at] === value) === equal);
  return {
    everything: labels.empty && fields.empty,
    name: fields.requiredValue('metadata.name'),
    matches: (object) => matches(traiting.traitsOf(object)),
    matchesEntry: (entry) => matches(entry.derived(traiting.traitsOf)),
  };
}

function fieldIndex(kind: Kind, { fields }: Traiting, path: string): number {
  const index = fields.indexOf(path);
  if (index >= 0) return index;
  throw badRequest(
    Object.keys(kind.selectableFields).length === 0
      ? `${JSON.stringify(path)} is not a known field selector: only "metadata.name", "metadata.namespace"`
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
