/** Whether tests run at their full sizes, with inputs anew each time, which takes a long while: `LONG=1`, as `npm run test:full` sets it. */
export const LONG = process.env['LONG'] === '1';
