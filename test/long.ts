/**
 * True if tests run at full size and with new inputs each time, which takes long. `npm run test:full` sets
 * `LONG=1`.
 */
export const LONG = process.env['LONG'] === '1';
