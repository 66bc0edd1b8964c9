// Plain JavaScript: `npm run check` runs it without a build.
import { spawn } from 'node:child_process';

/** Scripts of package.json, the longest first: it takes as long as all others together. */
const CHECKS = ['check:types', 'check:format', 'check:page', 'check:words', 'check:lint', 'check:layers'];
/** Types need more than 1 GB of memory, so no more run at once on a larger machine. */
const AT_ONCE = 2;

/** Runs one script and prints its output in one piece. Returns true if it passed. */
function passes(script) {
  return new Promise((resolve) => {
    const started = performance.now();
    const output = [];
    const child = spawn('npm', ['run', '--silent', script], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', (chunk) => output.push(chunk));
    child.stderr.on('data', (chunk) => output.push(chunk));
    child.on('error', (error) => output.push(Buffer.from(`${error.message}\n`)));
    child.on('close', (code) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      console.log(`${code === 0 ? 'passed' : 'FAILED'} ${script} (${seconds} s)`);
      process.stdout.write(Buffer.concat(output));
      resolve(code === 0);
    });
  });
}

const waiting = [...CHECKS];
const results = [];
const worker = async () => {
  for (let script = waiting.shift(); script !== undefined; script = waiting.shift()) {
    results.push(await passes(script));
  }
};
await Promise.all(Array.from({ length: AT_ONCE }, worker));
process.exitCode = results.every(Boolean) ? 0 : 1;
