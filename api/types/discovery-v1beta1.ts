import {
  type Infer,
  boolean,
  int32,
  listOf,
  mapOf,
  oneOf,
  optional,
  ref,
  required,
  string,
  struct,
  value,
} from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';
import { ObjectReference } from './core-v1.ts';
import { ObjectMeta } from './meta-v1.ts';

/** Conditions of an endpoint: readiness, serving and termination. */
export const EndpointConditions = struct('api.discovery.v1beta1.EndpointConditions', {
  ready: optional(1, boolean),
  serving: optional(2, boolean),
  terminating: optional(3, boolean),
});
export interface EndpointConditions extends Infer<typeof EndpointConditions> {}

/** A zone whose clients should use an endpoint. */
export const ForZone = struct('api.discovery.v1beta1.ForZone', {
  name: required(1, string),
});
export interface ForZone extends Infer<typeof ForZone> {}

/** Routing hints of an endpoint: the zones whose clients should use it. */
export const EndpointHints = struct('api.discovery.v1beta1.EndpointHints', {
  forZones: value(1, listOf(ref<ForZone>(ForZone)), { listType: 'atomic' }),
});
export interface EndpointHints extends Infer<typeof EndpointHints> {}

/** An endpoint of a Service. */
export const Endpoint = struct('api.discovery.v1beta1.Endpoint', {
  addresses: required(1, listOf(string), { listType: 'set' }),
  conditions: value(2, ref<EndpointConditions>(EndpointConditions)),
  hostname: optional(3, string),
  targetRef: optional(4, ref<ObjectReference>(ObjectReference)),
  topology: value(5, mapOf(string)),
  nodeName: optional(6, string),
  hints: optional(7, ref<EndpointHints>(EndpointHints)),
});
export interface Endpoint extends Infer<typeof Endpoint> {}

/** A port of all endpoints of an EndpointSlice. */
export const EndpointPort = struct('api.discovery.v1beta1.EndpointPort', {
  name: optional(1, string),
  protocol: optional(2, oneOf('SCTP', 'TCP', 'UDP')),
  port: optional(3, int32),
  appProtocol: optional(4, string),
});
export interface EndpointPort extends Infer<typeof EndpointPort> {}

/**
 * Kind EndpointSlice: a part of a Service's endpoints. All slices of the Service together contain all
 * endpoints.
 */
export const EndpointSlice = struct('api.discovery.v1beta1.EndpointSlice', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  addressType: required(4, string),
  endpoints: required(2, listOf(ref<Endpoint>(Endpoint)), { listType: 'atomic' }),
  ports: required(3, listOf(ref<EndpointPort>(EndpointPort)), { lenient: true, listType: 'atomic' }),
});
export interface EndpointSlice extends Infer<typeof EndpointSlice> {}
