export { createServed } from './serve.ts';
