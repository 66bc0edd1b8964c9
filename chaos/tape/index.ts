export { minimize } from './shrink.ts';
