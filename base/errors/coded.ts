import { BRAND, hasBrand } from './brand.ts';

/**
 * Error with a code from a closed set. The message is in lower case without a full stop. It names what was
 * received and what is accepted, and never contains a secret, a body or headers.
 */
export class CodedError<Code extends string = string> extends Error {
  static readonly [BRAND]: string = 'CodedError';

  static override [Symbol.hasInstance](value: unknown): boolean {
    return hasBrand(this, value);
  }

  readonly code: Code;

  constructor(code: Code, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** True for an error with the given code, from any copy of a module. */
export const isCoded = (thrown: unknown, code: string): boolean =>
  thrown instanceof Error && (thrown as { readonly code?: unknown }).code === code;

/** Returns the message of any thrown value. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);

/** Returns a thrown `Error` unchanged. Wraps any other value in an `Error`. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));
