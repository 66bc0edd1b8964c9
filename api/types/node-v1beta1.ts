import { atVersion } from '../schema/at-version.ts';
import * as stable from './node-v1.ts';

const types = atVersion('v1beta1', {
  Overhead: stable.Overhead,
  Scheduling: stable.Scheduling,
  RuntimeClass: stable.RuntimeClass,
});

/** Names a way of running containers that pods can ask for. */
export const RuntimeClass = types.RuntimeClass;
export type RuntimeClass = stable.RuntimeClass;
