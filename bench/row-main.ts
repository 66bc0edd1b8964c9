import type { Scale } from './row.ts';
import { rows } from './rows/index.ts';

// Runs one row in a child process: `row-main.js NAME SCALE`. Sends the figures to the parent. Without the
// parent, nothing reads the figures, and no daemon may outlive the row, so the whole process group is killed.
process.on('disconnect', () => process.kill(-process.pid, 'SIGKILL'));

const [name = '', scale = 'full'] = process.argv.slice(2);
const row = rows.find((each) => each.name === name);
if (row === undefined) throw new Error(`unknown row ${JSON.stringify(name)}`);
const figures = await row.measure(scale as Scale);
process.send?.(figures, () => process.exit());
