import { overflowIn } from '../../../api/schema/index.ts';
import { badRequest } from '../../../api/status/index.ts';
import type { WriteContext } from '../registry.ts';
import type { Resource } from '../resource.ts';
import { changedContext } from './write-context.ts';
import type { Change, PatchIntent } from './intent.ts';
import { patchedObject, patcherOf } from './patch-document.ts';

/** Decodes a JSON patch, merge patch or strategic merge patch. */
export function patchChange(
  resource: Resource,
  { namespace, name, subresource, type, patch }: PatchIntent,
  { floats }: WriteContext,
): Change {
  const overflow = overflowIn(floats);
  const patcher = patcherOf(resource, type, patch, floats);
  // Upstream decodes the result of a merge patch strictly. For other patches it accepts a float for an
  // integer.
  const decodesFloats = type !== 'application/merge-patch+json';
  return {
    namespace,
    name,
    subresource,
    accepts: 'present',
    apply(previous = {}, context) {
      if (overflow !== undefined) throw badRequest(overflow);
      const decoding = decodesFloats ? changedContext(context, { floats: undefined }) : context;
      return patchedObject(resource, patcher, previous, decoding);
    },
    uid: undefined,
    versioned: false,
    tracksFields: false,
  };
}
