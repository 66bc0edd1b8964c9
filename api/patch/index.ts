export { applyJsonPatch } from './json-patch.ts';
export { applyMergePatch } from './merge-patch.ts';
export { PatchError } from './patch-error.ts';
export { goPrint } from './strategic-errors.ts';
export { applyStrategicMergePatch } from './strategic-merge.ts';
