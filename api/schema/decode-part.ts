import { part } from '../../base/budget/index.ts';
import type { DecodeContext } from './decode-context.ts';

/**
 * A decoded part with the unknown fields below it. A part that is not run again must still report them again.
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
 * Decodes an item as one part of the work; the work may be interrupted before it. After an interruption the
 * items before it are decoded a second time, in place: that is safe because canonical items stay as they are.
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
