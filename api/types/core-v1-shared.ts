import { type Infer, mapOf, optional, quantity, required, string, struct, value } from '../schema/schema.ts';

/** An object of the same namespace, its kind being known. */
export const LocalObjectReference = struct(
  'api.core.v1.LocalObjectReference',
  {
    name: value(1, string),
  },
  { mapType: 'atomic' },
);
export interface LocalObjectReference extends Infer<typeof LocalObjectReference> {}

/** A field of the pod. */
export const ObjectFieldSelector = struct(
  'api.core.v1.ObjectFieldSelector',
  {
    apiVersion: value(1, string),
    fieldPath: required(2, string),
  },
  { mapType: 'atomic' },
);
export interface ObjectFieldSelector extends Infer<typeof ObjectFieldSelector> {}

/** A request or limit of a container. */
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

/** Amounts that are reserved, and limits of the use. */
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
