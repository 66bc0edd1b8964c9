import { defineVersion, sameShape } from '../conversion/version.ts';
import type { RuntimeClass as StoredRuntimeClass } from '../types/node-v1.ts';
import { RuntimeClass } from '../types/node-v1beta1.ts';
import { runtimeClasses } from './node-v1.ts';

/** Kind `RuntimeClass` of `node/v1beta1`. */
export const runtimeClassesV1beta1 = defineVersion<StoredRuntimeClass, StoredRuntimeClass>(runtimeClasses, {
  version: 'v1beta1',
  schema: RuntimeClass,
  conversion: sameShape(),
  deprecated: { since: '1.22', removedRelease: '1.25' },
});
