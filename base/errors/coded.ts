import { BRAND, hasBrand } from './brand.ts';

/**
 * An error with a code of a closed set. The message is lower case, without a full stop, names what was received
 * and what would be accepted, and never holds a secret, a body or headers.
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

/** True for an error with this code, whichever copy of a module made it. */
export const isCoded = (thrown: unknown, code: string): boolean =>
  thrown instanceof Error && (thrown as { readonly code?: unknown }).code === code;

/** The message of anything thrown. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);

/** Anything thrown as an `Error`, itself where it is one. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));
