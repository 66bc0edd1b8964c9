// `npm run screenshots`: starts the built program on a free port, gives its controllers something to do, and takes the
// pictures of the README. Plain JavaScript, run by node as it is. CHROMIUM names the browser; default /usr/bin/chromium.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { Agent, request } from 'undici';

const root = join(import.meta.dirname, '..');
const pictures = join(root, 'docs', 'screenshots');
const folder = mkdtempSync(join(tmpdir(), 'screenshots-'));
const token = randomBytes(16).toString('hex');
const tokens = join(folder, 'tokens.csv');
writeFileSync(tokens, `${token},admin,1,"system:masters"\n`);

const program = spawn(process.execPath, [
  join(root, 'dist', 'cli', 'orch.js'),
  'up',
  '--data-dir',
  join(folder, 'data'),
  '--secure-port',
  '0',
  '--token-auth-file',
  tokens,
]);
const address = await new Promise((resolve, reject) => {
  let text = '';
  program.stdout.setEncoding('utf8').on('data', (part) => {
    const found = /dashboard (\S+)\n/.exec((text += part));
    if (found !== null) resolve(found[1]);
  });
  program.once('exit', (code) => reject(new Error(`the program ended with ${code}`)));
});

const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
async function create(path, body) {
  const answer = await request(new URL(path, address), {
    dispatcher,
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`POST ${path}: ${answer.statusCode} ${text}`);
}

const pod = { containers: [{ name: 'main', image: 'busybox' }], restartPolicy: 'Never' };
const names = (prefix, count) => Array.from({ length: count }, (_, at) => `${prefix}-${at + 1}`);

async function giveWork() {
  for (const name of names('team', 24)) await create('/api/v1/namespaces', { metadata: { name } });
  const jobTemplate = { spec: { template: { spec: pod } } };
  for (const name of ['report', 'backup', 'cleanup', 'invoices', 'thumbnails', 'sitemap'])
    await create('/apis/batch/v1/namespaces/team-1/cronjobs', {
      metadata: { name },
      spec: { schedule: '* * * * *', jobTemplate },
    });
}

const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
});
try {
  await giveWork();
  // The CronJobs are due at the next minute.
  await new Promise((resolve) => setTimeout(resolve, 62_000 - (Date.now() % 60_000)));
  mkdirSync(pictures, { recursive: true });
  const views = [
    ['overview', '', 'light'],
    ['controller', '#/controllers/cronjob', 'light'],
    ['controller-dark', '#/controllers/cronjob', 'dark'],
    ['key', `#/controllers/cronjob/keys/${encodeURIComponent('team-1/report')}`, 'light'],
  ];
  for (const [name, place, colorScheme] of views) {
    const context = await browser.newContext({
      ignoreHTTPSErrors: true,
      colorScheme,
      viewport: { width: 1360, height: place.includes('/keys/') || place === '' ? 900 : 1230 },
    });
    const page = await context.newPage();
    await page.addInitScript((given) => sessionStorage.setItem('token', given), token);
    await page.goto(`${address}${place}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    // The pass in which the Job was created.
    if (name === 'key')
      await page.getByText('create jobs.batch').locator('xpath=ancestor::details').locator('summary').click();
    await page.waitForTimeout(2_500);
    await page.screenshot({ path: join(pictures, `${name}.png`) });
    await context.close();
  }
} finally {
  await browser.close();
  await dispatcher.close();
  program.kill();
  rmSync(folder, { recursive: true, force: true });
}
