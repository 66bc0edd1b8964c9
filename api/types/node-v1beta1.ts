import { atVersion } from '../schema/at-version.ts';
import * as stable from './node-v1.ts';

const types = atVersion('v1beta1', {
  Overhead: stable.Overhead,
  Scheduling: stable.Scheduling,
  RuntimeClass: stable.RuntimeClass,
});

/** Kind RuntimeClass: a container runtime configuration that pods can select. */
export const RuntimeClass = types.RuntimeClass;
export type RuntimeClass = stable.RuntimeClass;
