import { applying } from './applying.ts';
import { changing } from './changing.ts';
import { cluster } from './cluster.ts';
import { creating } from './creating.ts';
import { customResources } from './custom-resources.ts';
import { deleting } from './deleting.ts';
import { describing } from './describing.ts';
import { reading } from './reading.ts';
import { rights } from './rights.ts';
import { rollouts } from './rollouts.ts';
import type { Chapter } from './step.ts';
import { wire } from './wire.ts';

/** Chapters in order. Later chapters use objects of earlier ones. */
export const chapters: readonly Chapter[] = [
  cluster,
  reading,
  describing,
  applying,
  changing,
  rollouts,
  creating,
  wire,
  rights,
  deleting,
  customResources,
];
