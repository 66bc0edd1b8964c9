export type { Mount } from './mounts.ts';
