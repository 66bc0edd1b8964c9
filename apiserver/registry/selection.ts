import type { ApiObject, DeepReadonly, Kind } from '../../api/kinds/kind.ts';
import { FieldSelectorError, parseFieldSelector } from '../../api/selectors/fields.ts';
import { LabelSelectorError, parseLabelSelector } from '../../api/selectors/labels.ts';
import { badRequest } from '../../api/status/api-error.ts';

/** Which objects of a collection are meant. */
export interface Selection {
  readonly everything: boolean;
  /** The only name that can match, where the field selector says so. */
  readonly name: string | undefined;
  matches(object: DeepReadonly<ApiObject>): boolean;
}

interface Selectors {
  readonly labelSelector: string;
  readonly fieldSelector: string;
}

type FieldGetter = (object: DeepReadonly<ApiObject>) => string;

const METADATA_FIELDS: ReadonlyMap<string, FieldGetter> = new Map<string, FieldGetter>([
  ['metadata.name', (object) => object.metadata?.name ?? ''],
  ['metadata.namespace', (object) => object.metadata?.namespace ?? ''],
]);

/** Throws 400 for selectors that cannot be read or name a field that cannot be selected by. */
export function parseSelection(kind: Kind, { labelSelector, fieldSelector }: Selectors): Selection {
  const labels = read(() => parseLabelSelector(labelSelector));
  const fields = read(() => parseFieldSelector(fieldSelector));
  const tests = fields.requirements.map(({ path, op, value }) => {
    const get = fieldGetter(kind, path);
    return op === '='
      ? (object: DeepReadonly<ApiObject>) => get(object) === value
      : (object: DeepReadonly<ApiObject>) => get(object) !== value;
  });
  return {
    everything: labels.empty && fields.empty,
    name: fields.requiredValue('metadata.name'),
    matches: (object) =>
      (labels.empty || labels.matches(object.metadata?.labels ?? {})) && tests.every((test) => test(object)),
  };
}

function fieldGetter(kind: Kind, path: string): FieldGetter {
  const general = METADATA_FIELDS.get(path);
  if (general) return general;
  const own = Object.hasOwn(kind.selectableFields, path) ? kind.selectableFields[path] : undefined;
  if (own) return own;
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
