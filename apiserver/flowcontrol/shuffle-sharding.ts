import { createHash } from 'node:crypto';

/** 64 bits that a flow's hand is dealt from: of its flow schema's name and of what tells the schema's flows apart. */
export function hashFlow(schema: string, distinguisher: string): bigint {
  return createHash('sha256').update(schema).update('\0').update(distinguisher).digest().readBigUInt64LE(0);
}

/**
 * `size` different numbers below `deck`, drawn without putting back: the hash, read as a number of mixed base, says which
 * of the cards that are left comes next. Two flows rarely get the same hand, so that one which floods its queues leaves
 * others at least one queue.
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

/** The card at a position among those left, after others were drawn at their positions, the last draw undone first. */
function cardAt(position: number, drawn: readonly number[]): number {
  let card = position;
  for (let at = drawn.length - 1; at >= 0; at--) if (card >= (drawn[at] ?? 0)) card++;
  return card;
}
