import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { Random } from './random.ts';

/** Creates a generator that uses the operating system. `bytes` and `uuid` are suitable for secrets. */
export const createSystemRandom = (): Random => ({
  next: () => Math.random(),
  int: (below) => randomInt(below),
  bytes: (length) => randomBytes(length),
  uuid: () => randomUUID(),
});
