export { dialectKey, dialectOf, instantiateKey, scheduleOf, scheduleSourceOf } from './schedule.ts';
