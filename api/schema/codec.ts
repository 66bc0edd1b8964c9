import type { Decoder } from './decode-scalar.ts';
import type { Schema } from './schema.ts';

/** Decoder and zero value that are compiled from a schema. */
export interface Codec {
  readonly decode: Decoder;
  /** Returns a new value, to be written where the value is missing. */
  readonly zero: () => unknown;
}

/**
 * Returns the codec of a part of a schema. It is compiled on first use, because types may refer to each other
 * in a cycle.
 */
export type Later = (schema: Schema) => () => Codec;
