/** True if tests run at full size with new inputs each time: `LONG=1`, which `npm run test:full` sets. Takes long. */
export const LONG = process.env['LONG'] === '1';
