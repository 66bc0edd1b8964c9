import { createHash } from 'node:crypto';

/**
 * Hashes a flow. Returns the first 64 bits, little-endian, of the SHA-256 of schema name, zero byte and
 * distinguisher.
 */
export function hashFlow(schema: string, distinguisher: string): bigint {
  return createHash('sha256').update(schema).update('\0').update(distinguisher).digest().readBigUInt64LE(0);
}

/**
 * Deals a hand of `size` distinct numbers below `deck`. The hash is read as a mixed-radix number whose digits
 * select among the remaining cards. Two flows rarely get the same hand, so a flow that floods its queues
 * usually leaves other flows at least one queue.
 */
export function dealHand(hash: bigint, deck: number, size: number): readonly number[] {
  const drawn: number[] = [];
  const hand: number[] = [];
  let left = hash;
  for (let taken = 0; taken < size; taken++) {
    const cards = BigInt(deck - taken);
    const position = Number(left % cards);
    left /= cards;
    hand.push(cardAt(position, drawn));
    drawn.push(position);
  }
  return hand;
}

/**
 * Returns the card at a position among the remaining cards, by undoing the previous draws from last to first.
 */
function cardAt(position: number, drawn: readonly number[]): number {
  let card = position;
  for (let at = drawn.length - 1; at >= 0; at--) if (card >= (drawn[at] ?? 0)) card++;
  return card;
}
