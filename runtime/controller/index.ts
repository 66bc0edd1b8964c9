export { actorNamesOf } from './define.ts';
