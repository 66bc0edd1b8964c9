import { type ApiError, badRequest, expired, goQuote } from '../../../api/status/index.ts';
import {
  DecodeError,
  type Infer,
  decode,
  int64,
  jsonFault,
  string,
  struct,
  value,
} from '../../../api/schema/index.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';

/** Position of the next page of a list. Opaque to clients. */
export interface Continuation {
  /**
   * Revision of the first page. Undefined for the current revision, which a client requests by accepting an
   * inconsistent list.
   */
  readonly revision: number | undefined;
  /** Key of the last item that was sent, without the collection's prefix. */
  readonly after: string;
}

/** Suffix that turns a key into its direct successor, as in upstream's tokens. */
const NEXT = '\u0000';
const PRESENT = -1;

const formOf = (vocabulary: Vocabulary): string => `${vocabulary.group('meta')}/v1`;

/** Encodes a continue token in upstream's format (version, revision, start key; base64url of JSON). */
export function encodeContinuation({ revision, after }: Continuation, vocabulary: Vocabulary): string {
  const token = { v: formOf(vocabulary), rv: revision ?? PRESENT, start: `${after}${NEXT}` };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

/** Decodes a continue token. Throws `ApiError` with code 400 if the token is malformed. */
export function decodeContinuation(token: string, vocabulary: Vocabulary): Continuation {
  const form = formOf(vocabulary);
  const { v = '', rv = 0, start = '' } = parse(token);
  if (v !== form) throw notValid(`server does not recognize this encoded version ${goQuote(v)}`);
  if (rv === 0) throw notValid(`incorrect encoded start resourceVersion (version ${form})`);
  if (start === '') throw notValid(`encoded start key empty (version ${form})`);
  if (!isClean(start)) throw notValid(start);
  return {
    revision: rv < 0 ? undefined : Number(rv),
    after: start.endsWith(NEXT) ? start.slice(0, -NEXT.length) : start,
  };
}

/**
 * True if the path has no empty, `.` or `..` parts. The path is appended to the collection's prefix and must
 * not leave it.
 */
function isClean(start: string): boolean {
  const parts = (start.startsWith('/') ? start.slice(1) : start).split('/');
  return parts.every((part) => part !== '' && part !== '.' && part !== '..');
}

/** The struct's name is that of upstream's type, which appears in its error messages. */
const Token = struct('etcd3.continueToken', {
  v: value(1, string),
  rv: value(2, int64),
  start: value(3, string),
});
interface Token extends Infer<typeof Token> {}

/** Parses a token. `null` is treated as a token without fields. */
function parse(token: string): Token {
  const illegal = illegalAt(token);
  if (illegal >= 0) throw notValid(`illegal base64 data at input byte ${illegal}`);
  const text = Buffer.from(token, 'base64url').toString('utf8');
  try {
    return decode<Token>(Token, parseText(text) ?? {}).value;
  } catch (thrown) {
    if (thrown instanceof DecodeError) throw notValid(thrown.message);
    throw thrown;
  }
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notValid(jsonFault(text));
  }
}

/** Returns the offset at which Go's base64 decoder fails, or -1. */
function illegalAt(token: string): number {
  const strange = token.search(/[^\w-]/);
  if (strange >= 0) return strange;
  return token.length % 4 === 1 ? token.length - 1 : -1;
}

const notValid = (why: string): ApiError =>
  badRequest(`invalid continue token: continue key is not valid: ${why}`);

/** Returns a 410 for a page of a compacted revision. Its token continues at the current revision. */
export const expiredContinuation = (after: string, vocabulary: Vocabulary): ApiError =>
  expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
      'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
      'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
      'deleted between the time the first chunk was returned and now may show up in the list.',
    encodeContinuation({ revision: undefined, after }, vocabulary),
  );
