import { CodedError } from '../../base/errors/index.ts';
import { JSON_WORDS, valueKind } from '../schema/decode-context.ts';

/**
 * Reason why a patch was rejected:
 * - `malformed`: not a patch of the declared type (400 upstream)
 * - `unprocessable`: does not fit the object, or copies more bytes than allowed (422)
 * - `test-failed`: a `test` of a JSON patch failed (422)
 * - `too-large`: more operations than allowed (413)
 * - `unmergeable`: a strategic merge patch breaks a rule of merging (500 upstream, although the patch is
 * invalid)
 */
export type PatchErrorCode = 'malformed' | 'unprocessable' | 'test-failed' | 'too-large' | 'unmergeable';

/** Error for a rejected patch. The messages are those of upstream. */
export class PatchError extends CodedError<PatchErrorCode> {}

/** Returns the error for a patch whose JSON type Go cannot unmarshal into `type`. */
export const wrongKind = (patch: unknown, type: string): PatchError =>
  new PatchError(
    'malformed',
    `json: cannot unmarshal ${JSON_WORDS[valueKind(patch)]} into Go value of type ${type}`,
  );
