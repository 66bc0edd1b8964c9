export { conversionFault } from './conversion-fault.ts';
export { JSON_WORDS, valueKind } from './decode-context.ts';
export { DecodeError, decode, recode } from './decode.ts';
export { applyDefaults } from './defaults.ts';
export { type Int64, integerOf, readJson, writeJson } from './exact-json.ts';
export { goFloat, goJson, goNumber, isGoInteger, sortedKeys } from './go-text.ts';
export { jsonFault } from './json-fault.ts';
export { chargeStored } from './json-scan.ts';
export { type Floats, overflowIn, parseJson, parseJsonLoose } from './json.ts';
export { type JsonObject, cloneJson, equalJson, getOwn, isObject, setOwn } from './own.ts';
export {
  type Infer,
  type StructSchema,
  boolean,
  int32,
  int64,
  listOf,
  optional,
  ref,
  required,
  resolve,
  string,
  struct,
  value,
} from './schema.ts';
export { formatDuration } from './times.ts';
export { chargeItems, chargeKeys, chargeTree } from './tree-work.ts';
