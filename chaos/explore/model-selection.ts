import type { ApiObject, Kind } from '../../api/kinds/index.ts';
import {
  FieldSelectorError,
  LabelSelectorError,
  parseFieldSelector,
  parseLabelSelector,
} from '../../api/selectors/index.ts';
import { badRequest } from '../../api/status/index.ts';
import type { Any } from './api-request.ts';

export interface Scope {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

type Matches = (object: Any) => boolean;

/**
 * Returns the test of a scope; each selector is parsed once. The test throws a 400 for a selector that the
 * server rejects.
 */
export function createSelection(): (kind: Kind<ApiObject>, object: Any, scope: Scope) => boolean {
  const byKind = new WeakMap<Kind<ApiObject>, Map<string, Matches>>();
  return (kind, object, { namespace, labelSelector = '', fieldSelector = '' }) => {
    const known = byKind.get(kind) ?? new Map<string, Matches>();
    byKind.set(kind, known);
    const text = `${labelSelector};${fieldSelector}`;
    let matches = known.get(text);
    if (!matches) known.set(text, (matches = matcherOf(kind, labelSelector, fieldSelector)));
    if (namespace !== undefined && object.metadata?.namespace !== namespace) return false;
    return matches(object);
  };
}

function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (thrown) {
    if (thrown instanceof LabelSelectorError || thrown instanceof FieldSelectorError)
      throw badRequest(thrown.message);
    throw thrown;
  }
}

function matcherOf(kind: Kind<ApiObject>, labelText: string, fieldText: string): Matches {
  const labels = parsed(() => parseLabelSelector(labelText));
  const fields = parsed(() => parseFieldSelector(fieldText)).requirements.map(({ path, op, value }) => {
    const read = fieldOf(kind, path);
    return (object: Any): boolean => (read(object) === value) === (op === '=');
  });
  return (object) =>
    labels.matches(object.metadata?.labels ?? {}) && fields.every((matches) => matches(object));
}

/** Returns the accessor of a field that can be selected by; throws a 400 for another field. */
function fieldOf(kind: Kind<ApiObject>, path: string): (object: Any) => string {
  const own = Object.hasOwn(kind.selectableFields, path) ? kind.selectableFields[path] : undefined;
  if (own) return own;
  if (path === 'metadata.name') return ({ metadata }) => metadata?.name ?? '';
  const isUsual = Object.keys(kind.selectableFields).length === 0 && kind.schema.root === undefined;
  if (path === 'metadata.namespace' && (isUsual || kind.namespaced))
    return ({ metadata }) => metadata?.namespace ?? '';
  throw badRequest(`field label not supported: ${path}`);
}
