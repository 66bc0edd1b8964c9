export { GoNumber, type JsonPath } from './json-path.ts';
export { JsonPathSyntax, parseJsonPath, parseJsonPathTemplate } from './parser.ts';
export { findAll } from './search.ts';
export { JsonPathFailure, evaluateTemplate, printTemplate } from './template.ts';
