import type { Scale } from './row.ts';
import { rows } from './rows/index.ts';

// One row in a process of its own: `row-main.js NAME SCALE`, figures to the parent.
// Whoever started the row is gone: nobody will read the figures, and no daemon may outlive it.
process.on('disconnect', () => process.kill(-process.pid, 'SIGKILL'));

const [name = '', scale = 'full'] = process.argv.slice(2);
const row = rows.find((each) => each.name === name);
if (row === undefined) throw new Error(`unknown row ${JSON.stringify(name)}`);
const figures = await row.measure(scale as Scale);
process.send?.(figures, () => process.exit());
