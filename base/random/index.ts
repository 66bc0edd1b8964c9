export { type Random, nameSuffix } from './random.ts';
export { createSeededRandom } from './seeded.ts';
export { createSystemRandom } from './system.ts';
