import { namespaces } from '../../../api/groups/core-v1.ts';
import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import { ApiError, internalError, notFound } from '../../../api/status/index.ts';
import type { LabelSelector } from '../../../api/selectors/index.ts';
import type { Namespace } from '../../../api/types/core-v1.ts';
import { messageOf } from '../../../base/errors/index.ts';
import type { ObjectReader } from '../../registry/registry.ts';
import type { AdmissionRequest } from '../../request.ts';

/** Reader of namespaces from the cache and from the store. */
export type NamespaceReader = Pick<ObjectReader<Namespace>, 'get' | 'live'>;

type Request = DeepReadonly<AdmissionRequest>;

const NAMESPACES = { group: '', resource: namespaces.plural };

const isNamespace = ({ kind }: Request): boolean => kind.plural === namespaces.plural && kind.group === '';

/** Returns the namespace for the review. For a Namespace object, this is its own name. */
export const namespaceOf = (request: Request): string =>
  isNamespace(request) ? request.name || (request.object?.metadata?.name ?? '') : request.namespace;

/**
 * True if the selector matches the labels of the request's namespace. Namespace objects are matched by their
 * new labels; other cluster-scoped objects always match. Throws status 404 if the namespace does not exist.
 */
export async function matchesNamespace(
  selector: LabelSelector,
  request: Request,
  reader: NamespaceReader,
): Promise<boolean> {
  if (selector.empty || (request.namespace === '' && !isNamespace(request))) return true;
  if (isNamespace(request) && request.subresource === '' && request.operation !== 'DELETE')
    return selector.matches(request.object?.metadata?.labels);
  const name = namespaceOf(request);
  const found = reader.get('', name) ?? (await readLive(reader, name));
  if (found === undefined) throw notFound(NAMESPACES, name);
  return selector.matches(found.metadata?.labels);
}

async function readLive(reader: NamespaceReader, name: string): Promise<DeepReadonly<Namespace> | undefined> {
  try {
    return await reader.live('', name);
  } catch (thrown) {
    throw thrown instanceof ApiError ? thrown : internalError(messageOf(thrown));
  }
}

/** True if the new or the old object has the selected labels. */
export const matchesObject = (selector: LabelSelector, { object, previous }: Request): boolean =>
  selector.empty || hasLabels(selector, object) || hasLabels(selector, previous);

/** True if the object's labels match. Objects without metadata never match. */
const hasLabels = (selector: LabelSelector, object: DeepReadonly<ApiObject> | undefined): boolean =>
  object !== undefined && object.metadata !== undefined && selector.matches(object.metadata.labels);
