import { string, value } from '../schema/schema.ts';

/** The first two fields of every API object. Not in protobuf messages, because the envelope holds them. */
export const typeMeta = {
  kind: value(0, string),
  apiVersion: value(0, string),
};
