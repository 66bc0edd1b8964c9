export type { DescribedDocument } from './discovery-paths.ts';
export { type OpenApi, createOpenApi } from './documents.ts';
export { type ForeignSwagger, foreignPart } from './foreign.ts';
