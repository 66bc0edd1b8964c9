import { CodedError } from '../../base/errors/index.ts';

/**
 * - `truncated`: a length or a value goes past the end
 * - `overflow`: a varint of more than 64 bits
 * - `wire`: a tag that no message can have
 * - `depth`: messages nested deeper than any of ours
 * - `value`: a value that JSON, or protobuf, cannot hold in that field
 * - `envelope`: not one of our envelopes
 */
export type ProtobufErrorCode = 'truncated' | 'overflow' | 'wire' | 'depth' | 'value' | 'envelope';

/** Bytes that are no message of the schema, or a value that cannot be written as one. */
export class ProtobufError extends CodedError<ProtobufErrorCode> {}
