import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { Random } from './random.ts';

/** The operating system's randomness: fit for secrets. */
export const createSystemRandom = (): Random => ({
  next: () => Math.random(),
  int: (below) => randomInt(below),
  bytes: (length) => randomBytes(length),
  uuid: () => randomUUID(),
});
