import { CodedError } from '../../base/errors/index.ts';

/**
 * Reason why bytes or a value were rejected:
 * - `truncated`: a length or a value extends past the end
 * - `overflow`: a varint has more than 64 bits
 * - `wire`: a tag that no message can have
 * - `depth`: messages are nested too deeply
 * - `value`: a value that JSON or protobuf cannot hold in this field
 * - `envelope`: not an envelope of this format
 */
export type ProtobufErrorCode = 'truncated' | 'overflow' | 'wire' | 'depth' | 'value' | 'envelope';

/**
 * Error for bytes that are not a message of the schema, or for a value that cannot be written as a message.
 */
export class ProtobufError extends CodedError<ProtobufErrorCode> {}
