export { createFolder } from './folders.ts';
