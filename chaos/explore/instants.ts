export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
/** Start time of all scenarios. */
export const NOON = Date.UTC(2026, 2, 2, 12);
