import { sameValue } from '../kinds/carry-over.ts';
import type { DeepReadonly, ObjectSubresource, Strategy } from '../kinds/kind.ts';
import { recode } from '../schema/decode.ts';
import { cloneJson, getOwn, setOwn } from '../schema/own.ts';
import type { StructSchema } from '../schema/schema.ts';
import { applyStructuralDefaults } from '../structural/defaults.ts';
import { hasEmbedded } from '../structural/embedded.ts';
import type { Structural } from '../structural/structural.ts';
import { validateBySchema, validateLists } from '../structural/validate-object.ts';
import { validateValue } from '../structural/validate-value.ts';
import type { CustomResourceSubresourceScale } from '../types/apiextensions-v1.ts';
import { validateScale } from './custom-scale.ts';
import type { CustomObject } from './custom-object.ts';
import { nextGeneration } from '../kinds/generation.ts';

/** Returns the strategy of custom resources, like `customResourceStrategy` of Kubernetes 1.24. */
export function customStrategy(
  schema: StructSchema,
  root: Structural,
  hasStatus: boolean,
  scale: CustomResourceSubresourceScale | undefined,
): Strategy<CustomObject> {
  return {
    defaults(object) {
      applyStructuralDefaults(root, object);
      if (hasEmbedded(root)) readEmbedded(schema, object);
    },
    prepareForCreate(next) {
      if (hasStatus) delete next['status'];
    },
    prepareForUpdate(next, previous) {
      if (hasStatus) carryField(next, previous, 'status');
      // The registry counts changes of the spec. Custom resources also count changes of all other fields
      // except metadata.
      const { metadata = {} } = next;
      if (changes(next, previous) && sameValue(next['spec'], previous['spec'])) {
        next.metadata = { ...metadata, generation: nextGeneration(metadata.generation) };
      }
    },
    validate: (next) => [...validateBySchema(root, next), ...validateScale(scale, next, 'specReplicasPath')],
    validateCreate: (next) => validateLists(root, next),
    validateUpdate: (next, previous) => validateLists(root, next, previous),
  };
}

/**
 * Decodes the objects within the object again, in place, because defaults may have added fields to these
 * objects.
 */
function readEmbedded(schema: StructSchema, object: CustomObject): void {
  const { metadata: _known, ...fields } = recode<CustomObject>(schema, object).value;
  for (const [field, value] of Object.entries(fields)) setOwn(object, field, value);
}

/** Returns the `status` subresource, which changes only the status and managedFields. */
export function customStatus(
  root: Structural,
  scale: CustomResourceSubresourceScale | undefined,
): ObjectSubresource<CustomObject> {
  const schema = root.properties.get('status');
  return {
    verbs: ['get', 'patch', 'update'],
    prepareForUpdate(next, previous) {
      for (const field of Object.keys(next)) if (!KEPT.has(field)) Reflect.deleteProperty(next, field);
      for (const field of Object.keys(previous)) if (!KEPT.has(field)) carryField(next, previous, field);
      const { managedFields, resourceVersion } = next.metadata ?? {};
      next.metadata = {
        ...(cloneJson(previous.metadata) as CustomObject['metadata']),
        ...(managedFields === undefined ? {} : { managedFields }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      };
      if (managedFields === undefined) delete next.metadata.managedFields;
    },
    validateUpdate: (next, previous) => {
      const status = getOwn(next, 'status');
      return [
        ...(schema && status !== undefined ? validateValue(schema.props, status, 'status') : []),
        ...validateScale(scale, next, 'statusReplicasPath'),
        ...validateLists(root, next, previous),
      ];
    },
  };
}

const KEPT: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'metadata', 'status']);

function carryField(next: CustomObject, previous: DeepReadonly<CustomObject>, field: string): void {
  const before = getOwn(previous, field);
  if (before === undefined) Reflect.deleteProperty(next, field);
  else
    Object.defineProperty(next, field, {
      value: cloneJson(before),
      writable: true,
      enumerable: true,
      configurable: true,
    });
}

/** True if anything except metadata differs. */
function changes(next: DeepReadonly<CustomObject>, previous: DeepReadonly<CustomObject>): boolean {
  const { metadata: _next, ...rest } = next;
  const { metadata: _previous, ...before } = previous;
  return !sameValue(rest, before);
}
