import { badRequest, conflict } from '../../../api/status/index.ts';
import { repetition } from './decoding.ts';
import { appliedObject } from '../fields/tracking.ts';
import { metadataOf } from './metadata.ts';
import type { WriteContext } from '../registry.ts';
import type { Resource } from '../resource.ts';
import { changedContext } from './write-context.ts';
import type { Change, PatchIntent } from './intent.ts';

/**
 * Decodes a server-side apply of a configuration, which creates the object if there is none
 * (https://kubernetes.io/docs/reference/using-api/server-side-apply/).
 */
export function configurationChange(
  resource: Resource,
  { namespace, name, subresource, patch }: PatchIntent,
  { repeatedKeys = [] }: WriteContext,
): Change {
  return {
    namespace,
    name,
    subresource,
    accepts: subresource === '' ? 'either' : 'present',
    apply(previous, context) {
      const lenient = changedContext(context, { repeatedKeys: undefined, floats: undefined });
      const object = appliedObject(resource, subresource, previous, patch, lenient);
      checkRepeatedKeys(repeatedKeys, context);
      const { uid } = metadataOf(object);
      if (!previous && uid) throw conflict(resource.name, name, noObjectWith(uid));
      return object;
    },
    uid: undefined,
    versioned: false,
    tracksFields: true,
  };
}

const noObjectWith = (uid: string): string =>
  `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;

/**
 * Throws a 400 for repeated keys of a configuration. As upstream does, the caller checks them after applying
 * the configuration.
 */
function checkRepeatedKeys(
  repeatedKeys: readonly string[],
  { fieldValidation, warn }: Pick<WriteContext, 'fieldValidation' | 'warn'>,
): void {
  if (repeatedKeys.length === 0 || fieldValidation === 'Ignore') return;
  if (fieldValidation === 'Strict')
    throw badRequest(
      `error strict decoding YAML: error converting YAML to JSON: ${repetition(repeatedKeys)}`,
    );
  for (const text of repeatedKeys) warn(text);
}
