import type { Weights } from './draw.ts';

/** Weights recorded by `orch chaos run --weights`, which writes this file. */
export const weights: Weights = {};
