import { string, value } from '../schema/schema.ts';

/**
 * The first two fields of every API object. They have no protobuf numbers, because the protobuf envelope
 * contains them.
 */
export const typeMeta = {
  kind: value(0, string),
  apiVersion: value(0, string),
};
