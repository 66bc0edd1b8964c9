export { SCHEDULE_DIALECTS, type ScheduleSource, parseSchedule } from './dialect.ts';
export { parseGoDuration, parseGoNanoseconds } from './duration.ts';
export type { CronSchedule } from './schedule.ts';
export { isTimeZone } from './zone.ts';
