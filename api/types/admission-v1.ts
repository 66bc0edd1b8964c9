import {
  type Infer,
  boolean,
  bytes,
  listOf,
  mapOf,
  optional,
  ref,
  required,
  string,
  struct,
  value,
} from '../schema/schema.ts';
import { Status } from './meta-v1.ts';

/** Response of an admission webhook, the same in both versions of AdmissionReview. It is never stored. */
export const AdmissionResponse = struct('api.admission.v1.AdmissionResponse', {
  uid: required(1, string),
  allowed: required(2, boolean),
  status: optional(3, ref<Status>(Status)),
  patch: value(4, bytes),
  patchType: optional(5, string),
  auditAnnotations: value(6, mapOf(string)),
  warnings: value(7, listOf(string)),
});
export interface AdmissionResponse extends Infer<typeof AdmissionResponse> {}
