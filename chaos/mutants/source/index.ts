export { type ReportHead, describeSourceScore, renderSourceReport } from './describe-source.ts';
export { type SourceHuntOptions, type SourceReport, huntSource } from './hunt-source.ts';
export { sourceOperators } from './operators/index.ts';
