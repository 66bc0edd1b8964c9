export { upFlags } from './flag-tables.ts';
export { parseFlags } from './flags.ts';
