import { CodedError } from '../../base/errors/index.ts';
import { JSON_WORDS, valueKind } from '../schema/decode-context.ts';

/**
 * Why a patch was refused:
 * - `malformed`: it is no patch of its kind (400 upstream)
 * - `unprocessable`: it does not fit the document, or copies more bytes than allowed (422)
 * - `test-failed`: a JSON patch's `test` did not hold (422)
 * - `too-large`: more operations than allowed (413)
 * - `unmergeable`: a strategic merge patch breaks a rule of merging (500 upstream, the patch is at fault all the same)
 */
export type PatchErrorCode = 'malformed' | 'unprocessable' | 'test-failed' | 'too-large' | 'unmergeable';

/** A patch that was refused; the messages are upstream's. */
export class PatchError extends CodedError<PatchErrorCode> {}

/** A patch of another kind of JSON than Go reads into `type`. */
export const wrongKind = (patch: unknown, type: string): PatchError =>
  new PatchError(
    'malformed',
    `json: cannot unmarshal ${JSON_WORDS[valueKind(patch)]} into Go value of type ${type}`,
  );
