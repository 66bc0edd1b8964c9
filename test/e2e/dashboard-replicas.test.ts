import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../free-port.ts';
import { service } from '../services.ts';
import { launchBrowser, seriousFindings } from './browser.ts';
import { type Program, createWorkbench } from './process.ts';

const suite = 'the dashboards of replicas that elect a leader';
const chromium = service('chromium', suite);
const READY = /^ready https/m;
const ELECTION = [
  '--leader-elect',
  '--leader-elect-lease-duration=6s',
  '--leader-elect-renew-deadline=5s',
  '--leader-elect-retry-period=500ms',
];

describe.skipIf(chromium.missing)(suite, () => {
  const bench = createWorkbench();
  let browser: Browser;
  let folder: string;
  let leader: Program;
  let leaderUrl: string;

  async function startManager(...flags: readonly string[]) {
    const port = await freePort();
    const health = [`--healthz-port=${port}`, '--healthz-dashboard'];
    const program = bench.orch([
      'controller-manager',
      '--data-dir',
      folder,
      ...ELECTION,
      ...health,
      ...flags,
    ]);
    await program.output(READY);
    return { program, url: `http://127.0.0.1:${port}/dashboard/` };
  }

  beforeAll(async () => {
    folder = join(bench.folder(), 'data');
    await bench.orch(['apiserver', '--data-dir', folder, '--secure-port', '0']).output(READY);
    browser = await launchBrowser(chromium.path ?? '');
    ({ program: leader, url: leaderUrl } = await startManager());
  });
  afterAll(async () => {
    await browser?.close();
    await bench.close();
  });

  async function visit(url: string): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1440, height: 1000 } });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    await page.goto(url);
    return page;
  }

  it('lead from a standby to the leader, also after the standby took over', async () => {
    const standby = await startManager('--dashboard-address=http://standby.example/dashboard/');
    const page = await visit(standby.url);
    const card = page.getByRole('region', { name: 'This process is a standby' });
    await expect(card.getByRole('link').getAttribute('href')).resolves.toBe(leaderUrl);
    expect(await card.textContent()).toMatch(/leads \d+ controllers/);
    expect(await seriousFindings(page)).toEqual([]);
    await card.getByRole('link').click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(page.url()).toContain(leaderUrl);
    await page.getByRole('heading', { name: 'Replicas' }).waitFor();
    expect(await page.getByText('This process is a standby').count()).toBe(0);

    // The standby takes over, and the next standby reads its address from the flag.
    await leader.end('SIGTERM');
    await page.goto('about:blank');
    await page.goto(standby.url);
    await card.waitFor({ state: 'detached' });
    const next = await startManager();
    await page.goto(next.url);
    await expect
      .poll(() => card.getByRole('link').getAttribute('href'))
      .toBe('http://standby.example/dashboard/');
  });
});
