const timeOfDay = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});
const dayAndTime = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});

/** Formats the time of day in the browser's time zone: `08:11:33.606`. */
export const clockTime = (ms: number): string => timeOfDay.format(ms);

const dayAndSecond = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZone: 'UTC',
});

/** Formats the wall-clock time at an offset from UTC: `Sun, 29 Mar 2026, 03:30:00`. */
export const wallTime = (ms: number, offsetMs: number): string => dayAndSecond.format(ms + offsetMs);

/** Formats an offset from UTC: `UTC+05:30`. */
export function offsetText(offsetMs: number): string {
  const minutes = Math.round(Math.abs(offsetMs) / 60_000);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `UTC${offsetMs < 0 ? '−' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** Formats a future moment as its time of day, with the date unless it is the date of `nowMs`. */
export const momentToCome = (ms: number, nowMs: number): string =>
  new Date(ms).toDateString() === new Date(nowMs).toDateString() ? clockTime(ms) : dayAndTime.format(ms);
