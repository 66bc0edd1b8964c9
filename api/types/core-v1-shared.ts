import { type Infer, mapOf, optional, quantity, required, string, struct, value } from '../schema/schema.ts';

/** Reference to an object of a known kind in the same namespace. */
export const LocalObjectReference = struct(
  'api.core.v1.LocalObjectReference',
  {
    name: value(1, string),
  },
  { mapType: 'atomic' },
);
export interface LocalObjectReference extends Infer<typeof LocalObjectReference> {}

/** Reference to a field of a pod. */
export const ObjectFieldSelector = struct(
  'api.core.v1.ObjectFieldSelector',
  {
    apiVersion: value(1, string),
    fieldPath: required(2, string),
  },
  { mapType: 'atomic' },
);
export interface ObjectFieldSelector extends Infer<typeof ObjectFieldSelector> {}

/** Reference to a resource request or limit of a container. */
export const ResourceFieldSelector = struct(
  'api.core.v1.ResourceFieldSelector',
  {
    containerName: value(1, string),
    resource: required(2, string),
    divisor: optional(3, quantity),
  },
  { mapType: 'atomic' },
);
export interface ResourceFieldSelector extends Infer<typeof ResourceFieldSelector> {}

/** Resource requests and limits of a container or claim. */
export const ResourceRequirements = struct('api.core.v1.ResourceRequirements', {
  limits: value(1, mapOf(quantity)),
  requests: value(2, mapOf(quantity)),
});
export interface ResourceRequirements extends Infer<typeof ResourceRequirements> {}

/** Reference to an object of any kind in the same namespace. */
export const TypedLocalObjectReference = struct(
  'api.core.v1.TypedLocalObjectReference',
  {
    apiGroup: required(1, string, { lenient: true, nullable: true }),
    kind: required(2, string),
    name: required(3, string),
  },
  { mapType: 'atomic' },
);
export interface TypedLocalObjectReference extends Infer<typeof TypedLocalObjectReference> {}
