import { string, value } from '../schema/schema.ts';

/** The two fields every API object begins with. JSON only: protobuf carries them in its envelope. */
export const typeMeta = {
  kind: value(0, string),
  apiVersion: value(0, string),
};
