import type { Decoder } from './decode-scalar.ts';
import type { Schema } from './schema.ts';

/** A compiled schema. */
export interface Codec {
  readonly decode: Decoder;
  /** Returns the value written for a missing one: a new value on each call. */
  readonly zero: () => unknown;
}

/** Returns the codec of a part, compiled on first use, because types may refer to each other in a cycle. */
export type Later = (schema: Schema) => () => Codec;
