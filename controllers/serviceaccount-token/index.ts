export { generatedName } from './generated-name.ts';
