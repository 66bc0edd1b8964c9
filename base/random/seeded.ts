import { type Random, uuidFrom } from './random.ts';

/**
 * Creates a generator (sfc32) whose numbers are the same for the same seed. For simulation and tests, never
 * for secrets.
 */
export function createSeededRandom(seed: number): Random {
  let a = seed | 0;
  let b = (seed ^ 0x9e3779b9) | 0;
  let c = Math.imul(seed, 0x85ebca6b) | 0;
  let counter = 1;
  const word = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  };
  for (let i = 0; i < 12; i++) word();
  const bytes = (length: number): Uint8Array => {
    const drawn = new Uint8Array(length);
    for (let at = 0; at < length; at++) drawn[at] = word() & 0xff;
    return drawn;
  };
  return {
    next: () => word() / 2 ** 32,
    int: (below) => Math.floor((word() / 2 ** 32) * below),
    bytes,
    uuid: () => uuidFrom(bytes(16)),
  };
}
