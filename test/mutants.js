// `npm run test:mutants [CONTROLLER…]`: searches every mutant of the controllers and their machines with the explorer, runs
// the controller's tests against each one that the explorer does not catch, and lists those that neither catches. Needs the
// built program. Ends with 1 if a mutant without a stated reason is not caught. Plain JavaScript, run by node as it is.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const root = join(import.meta.dirname, '..');
const controllers = process.argv.slice(2);

/** Runs the explorer on every mutant; returns the name and the result of those that it does not catch. */
async function searched() {
  const flags = controllers.length > 0 ? ['--controllers', controllers.join(',')] : [];
  const program = spawn(
    process.execPath,
    [join(root, 'dist', 'cli', 'orch.js'), 'chaos', 'mutants', ...flags],
    { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const left = [];
  let total = 0;
  for await (const line of createInterface({ input: program.stdout })) {
    // A line of the table: controller/defect, pattern of the study, result.
    const [, name, result] = /^(\S+\/\S+)\s+\S+\s+(.*)$/.exec(line) ?? [];
    if (name === undefined) continue;
    total++;
    if (!result.startsWith('caught by ')) left.push({ name, result });
  }
  if (total === 0) throw new Error('the explorer searched no mutant: build the program first');
  return { total, left };
}

/** Runs the tests of a mutant's controller against it; true if one fails. */
const isCaughtByTests = ({ name }) => {
  const folder = join('controllers', name.split('/')[0]);
  if (!existsSync(join(root, folder))) throw new Error(`no tests for ${name}`);
  const run = spawn(
    'npx',
    ['vitest', 'run', `${folder}/`, '--project', 'parts', '--bail', '1', '--exclude', '**/*-soak.test.ts'],
    { cwd: root, stdio: 'ignore', env: { ...process.env, MUTANT: name } },
  );
  return new Promise((resolve, reject) => {
    run.once('error', reject);
    run.once('exit', (code) => resolve(code !== 0));
  });
};

const { total, left } = await searched();
console.log(`${total} mutants, ${left.length} of them not caught by the explorer`);
const uncaught = [];
for (const mutant of left) {
  const isCaught = await isCaughtByTests(mutant);
  console.log(`${mutant.name.padEnd(56)} ${isCaught ? 'caught by a test' : mutant.result}`);
  if (!isCaught) uncaught.push(mutant);
}
console.log(`\n${uncaught.length} mutants that neither a test nor the explorer catches:`);
for (const { name, result } of uncaught) console.log(`${name.padEnd(56)} ${result}`);
const isExplained = ({ result }) => result.startsWith('harmless: ') || result.startsWith('the same as ');
process.exitCode = uncaught.every(isExplained) ? 0 : 1;
