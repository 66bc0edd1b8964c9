import { defineKind } from '../kinds/kind.ts';
import { RuntimeClass } from '../types/node-v1.ts';
import { runtimeClassColumns, runtimeClassStrategy } from './node/runtime-class.ts';

/** Kind `RuntimeClass` of `node/v1`. */
export const runtimeClasses = defineKind<RuntimeClass>({
  group: 'node',
  version: 'v1',
  kind: 'RuntimeClass',
  plural: 'runtimeclasses',
  namespaced: false,
  schema: RuntimeClass,
  anyFinalizer: true,
  strategy: runtimeClassStrategy,
  columns: runtimeClassColumns,
  policy: { createOnUpdate: true, unconditionalUpdate: false },
});
