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

/** Formats a future moment: its time of day, with the date if that is not the date of `nowMs`. */
export const momentToCome = (ms: number, nowMs: number): string =>
  new Date(ms).toDateString() === new Date(nowMs).toDateString() ? clockTime(ms) : dayAndTime.format(ms);
