export { BRAND, hasBrand } from './brand.ts';
export { CodedError, asError, isCoded, messageOf } from './coded.ts';
export { parseJsonQuietly } from './json-syntax.ts';
