export { createEnvironment } from './program.ts';
export { schemeOf } from './scheme-of.ts';
