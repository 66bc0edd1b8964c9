import { part } from '../../base/budget/index.ts';
import type { DecodeContext } from './decode-context.ts';

/** The value of a part with the unknown fields below it, which a part that is not run again reports again. */
class WithUnknown {
  readonly value: unknown;
  readonly unknown: readonly string[];

  constructor(value: unknown, unknown: readonly string[]) {
    this.value = value;
    this.unknown = unknown;
  }
}

/**
 * Decodes an item as a part of the work, which may be interrupted before it. The list or map that holds it may be decoded
 * in place up to here: canonical items stay as they are when they are decoded again.
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
