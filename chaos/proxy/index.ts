export { createEarlierAnswers } from './earlier-answers.ts';
export { createInterception } from './interception.ts';
export { type UpstreamCredentials, createChaosProxy } from './proxy.ts';
export { createChaosStage } from './stage.ts';
export { createStoreHistory } from './store-history.ts';
