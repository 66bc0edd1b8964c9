import { CodedError } from '../../base/errors/index.ts';

/**
 * Reason for which bytes or a value were refused:
 * - `truncated`: a length or a value extends past the end
 * - `overflow`: a varint has more than 64 bits
 * - `wire`: a tag that no message can have
 * - `depth`: messages are nested too deeply
 * - `value`: a value that JSON, or protobuf, cannot hold in that field
 * - `envelope`: not an envelope of this format
 */
export type ProtobufErrorCode = 'truncated' | 'overflow' | 'wire' | 'depth' | 'value' | 'envelope';

/** Bytes that are no message of the schema, or a value that cannot be written as one. */
export class ProtobufError extends CodedError<ProtobufErrorCode> {}
