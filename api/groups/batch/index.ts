export { dialectKey, dialectOf, scheduleOf, scheduleSourceOf } from './schedule.ts';
