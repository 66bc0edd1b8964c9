export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
/** When scenarios begin. */
export const NOON = Date.UTC(2026, 2, 2, 12);
