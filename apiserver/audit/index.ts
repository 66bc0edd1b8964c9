export { type AuditBackend, type ReportLost, createLossReport, ignoringLosses, unionOf } from './backend.ts';
export { createBatching } from './batching.ts';
export { AUDIT_GROUP, AUDIT_VERSION } from './event.ts';
export { createLogBackend, createStandardOutputSink } from './log-backend.ts';
export { parsePolicy } from './policy.ts';
export { createRotatingFile } from './rotating-file.ts';
export { createTruncation } from './truncation.ts';
export { createWebhookBackend } from './webhook-backend.ts';
