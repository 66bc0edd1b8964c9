import type { AnyKind, ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import { ApiError, internalError } from '../../../api/status/index.ts';
import { messageOf } from '../../../base/errors/index.ts';
import type { AdmissionRequest } from '../../request.ts';
import type { Equivalents } from './equivalents.ts';
import type { Invocation } from './invocation.ts';
import type { Shown } from './review.ts';

type Request = DeepReadonly<AdmissionRequest>;

/**
 * Creates a function that converts the objects of a request for a webhook. Objects are converted only once
 * for all webhooks that receive the same version.
 */
export function createShown(request: Request, equivalents: Equivalents): (to: Invocation) => Promise<Shown> {
  const known = new Map<AnyKind, Promise<Shown>>();
  return ({ resource }) => {
    const found = known.get(resource) ?? shownAs(request, resource, equivalents);
    known.set(resource, found);
    return found;
  };
}

/** Converts the new and the old object to another version. Throws status 500 if a conversion fails. */
export async function shownAs(request: Request, resource: AnyKind, equivalents: Equivalents): Promise<Shown> {
  const { object, previous } = request;
  const from = request.kind as AnyKind;
  const own = equivalents.kindAt(from, request.subresource);
  // A subresource with its own kind is the same at every version.
  if (resource === from || own?.kind !== from.kind) return { object, previous };
  const at = async (each: DeepReadonly<ApiObject> | undefined) =>
    each && (await equivalents.convert(each, from, resource));
  try {
    return { object: await at(object), previous: await at(previous) };
  } catch (thrown) {
    throw thrown instanceof ApiError ? thrown : internalError(messageOf(thrown));
  }
}
