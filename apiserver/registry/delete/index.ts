export { mark, markNamespace } from './deletion-mark.ts';
