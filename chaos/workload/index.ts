export { generateRichWorkload } from './generate.ts';
export { readActions } from './read-actions.ts';
