export { type ComponentCheck, type ComponentHealth, healthProbe } from './component-statuses.ts';
