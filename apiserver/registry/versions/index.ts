export { expiringPrefixes } from './expiring-kinds.ts';
