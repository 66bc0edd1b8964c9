export { type StartedClient, createStartedClient } from './client-process.ts';
export { createEarlierAnswers } from './earlier-answers.ts';
export { createInterception } from './interception.ts';
export { type Observer, createObserver } from './observer.ts';
export { type UpstreamCredentials, createChaosProxy } from './proxy.ts';
export { createChaosStage } from './stage.ts';
export { type HistoryStorage, createStoreHistory } from './store-history.ts';
export { type WireRecorder, createWireRecorder } from './wire-recorder.ts';
