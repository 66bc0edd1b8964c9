import { namespaces } from '../../../api/groups/core-v1.ts';
import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import { ApiError, internalError, notFound } from '../../../api/status/index.ts';
import type { LabelSelector } from '../../../api/selectors/index.ts';
import type { Namespace } from '../../../api/types/core-v1.ts';
import { messageOf } from '../../../base/errors/index.ts';
import type { ObjectReader } from '../../registry/registry.ts';
import type { AdmissionRequest } from '../../request.ts';

export type NamespaceReader = Pick<ObjectReader<Namespace>, 'get' | 'live'>;

type Request = DeepReadonly<AdmissionRequest>;

const NAMESPACES = { group: '', resource: namespaces.plural };

const isNamespace = ({ kind }: Request): boolean => kind.plural === namespaces.plural && kind.group === '';

/** The namespace webhooks are told: that of a Namespace object is itself. */
export const namespaceOf = (request: Request): string =>
  isNamespace(request) ? request.name || (request.object?.metadata?.name ?? '') : request.namespace;

/**
 * Whether a request is of a namespace with the labels that are asked for. Objects of the cluster always are, save
 * namespaces themselves, which are seen as they would be. Throws 404 for a namespace that is not there.
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

/** Whether the object as it is to be or as it was has the labels that are asked for. */
export const matchesObject = (selector: LabelSelector, { object, previous }: Request): boolean =>
  selector.empty || hasLabels(selector, object) || hasLabels(selector, previous);

/** What cannot bear labels has none that a selector could ask for, not even their absence. */
const hasLabels = (selector: LabelSelector, object: DeepReadonly<ApiObject> | undefined): boolean =>
  object !== undefined && object.metadata !== undefined && selector.matches(object.metadata.labels);
