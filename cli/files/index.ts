export { type Provisioned, provision } from './provision.ts';
