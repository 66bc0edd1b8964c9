export { parseConfiguration, providersOf } from './configuration.ts';
export { createEncryption } from './encryption.ts';
export type { Provider } from './provider.ts';
