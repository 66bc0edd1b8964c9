import { CodedError } from '../../base/errors/index.ts';
import { JSON_WORDS, valueKind } from '../schema/decode-context.ts';

/**
 * Reason for which a patch was refused:
 * - `malformed`: not a patch of its kind (400 upstream)
 * - `unprocessable`: does not fit the document, or copies more bytes than allowed (422)
 * - `test-failed`: a `test` of a JSON patch did not hold (422)
 * - `too-large`: more operations than allowed (413)
 * - `unmergeable`: a strategic merge patch breaks a rule of merging (500 upstream, although the patch is at
 *   fault)
 */
export type PatchErrorCode = 'malformed' | 'unprocessable' | 'test-failed' | 'too-large' | 'unmergeable';

/** A refused patch; the messages are upstream's. */
export class PatchError extends CodedError<PatchErrorCode> {}

/** Returns the error for a patch whose JSON type Go cannot read into `type`. */
export const wrongKind = (patch: unknown, type: string): PatchError =>
  new PatchError(
    'malformed',
    `json: cannot unmarshal ${JSON_WORDS[valueKind(patch)]} into Go value of type ${type}`,
  );
