export type { Mount } from './mounts.ts';
export { type TraceContexts, createTraceContexts } from './trace-contexts.ts';
