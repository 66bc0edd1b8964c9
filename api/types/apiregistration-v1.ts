import {
  type Infer,
  boolean,
  bytes,
  int32,
  listOf,
  optional,
  ref,
  required,
  string,
  struct,
  time,
  value,
  wordOf,
} from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';
import { ObjectMeta } from './meta-v1.ts';

/** Reference to the Service of another API server. */
export const ServiceReference = struct('aggregator.pkg.apis.apiregistration.v1.ServiceReference', {
  namespace: value(1, string),
  name: value(2, string),
  port: optional(3, int32),
});
export interface ServiceReference extends Infer<typeof ServiceReference> {}

/** Spec of an APIService: a group version and the Service that serves it. */
export const APIServiceSpec = struct('aggregator.pkg.apis.apiregistration.v1.APIServiceSpec', {
  service: optional(1, ref<ServiceReference>(ServiceReference)),
  group: value(2, string),
  version: value(3, string),
  insecureSkipTLSVerify: value(4, boolean),
  caBundle: value(5, bytes, { listType: 'atomic' }),
  groupPriorityMinimum: required(7, int32),
  versionPriority: required(8, int32),
});
export interface APIServiceSpec extends Infer<typeof APIServiceSpec> {}

/** Condition of an APIService. */
export const APIServiceCondition = struct('aggregator.pkg.apis.apiregistration.v1.APIServiceCondition', {
  type: required(1, string),
  status: required(2, wordOf('False', 'True', 'Unknown')),
  lastTransitionTime: value(3, time),
  reason: value(4, string),
  message: value(5, string),
});
export interface APIServiceCondition extends Infer<typeof APIServiceCondition> {}

/** Status of an APIService. */
export const APIServiceStatus = struct('aggregator.pkg.apis.apiregistration.v1.APIServiceStatus', {
  conditions: value(1, listOf(ref<APIServiceCondition>(APIServiceCondition)), {
    listType: 'map',
    listMapKeys: ['type'],
    patchStrategy: ['merge'],
    patchMergeKey: 'type',
  }),
});
export interface APIServiceStatus extends Infer<typeof APIServiceStatus> {}

/** Kind APIService: a group version that this server serves or forwards to another server. */
export const APIService = struct('aggregator.pkg.apis.apiregistration.v1.APIService', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<APIServiceSpec>(APIServiceSpec)),
  status: value(3, ref<APIServiceStatus>(APIServiceStatus)),
});
export interface APIService extends Infer<typeof APIService> {}
