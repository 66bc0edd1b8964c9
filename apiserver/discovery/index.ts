export { SERVED_RELEASE } from './version-info.ts';
