import { part } from '../../base/budget/index.ts';
import type { DecodeContext } from './decode-context.ts';

/**
 * A decoded part and the unknown fields within it. A part whose result is reused after an interruption must
 * report these fields again.
 */
class WithUnknown {
  readonly value: unknown;
  readonly unknown: readonly string[];

  constructor(value: unknown, unknown: readonly string[]) {
    this.value = value;
    this.unknown = unknown;
  }
}

/**
 * Decodes a list item or map value as one part of the work. The work may be interrupted before each part.
 * After an interruption the preceding items are decoded a second time, in place. This is safe because
 * canonical items stay the same.
 */
export function decodePart(decodeItem: () => unknown, { unknown }: DecodeContext): unknown {
  const before = unknown.length;
  const decoded = part(() => {
    const value = decodeItem();
    return unknown.length === before ? value : new WithUnknown(value, unknown.slice(before));
  });
  if (!(decoded instanceof WithUnknown)) return decoded;
  unknown.length = before;
  unknown.push(...decoded.unknown);
  return decoded.value;
}
