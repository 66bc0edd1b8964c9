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

/** The time of day of a moment, in the zone of who looks: `08:11:33.606`. */
export const clockTime = (ms: number): string => timeOfDay.format(ms);

/** A moment to come: its time of day, and its day where that is not the day of `nowMs`. */
export const momentToCome = (ms: number, nowMs: number): string =>
  new Date(ms).toDateString() === new Date(nowMs).toDateString() ? clockTime(ms) : dayAndTime.format(ms);
