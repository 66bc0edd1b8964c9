import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { service } from '../services.ts';
import { type Api, createApi } from './api.ts';
import { launchBrowser, seriousFindings, signedIn } from './browser.ts';
import { created } from './cluster.ts';
import { createWorkbench } from './process.ts';

const suite = 'the lifecycles on the dashboard';
const chromium = service('chromium', suite);
const CRON_JOBS = '/apis/batch/v1/namespaces/team/cronjobs';
const READY = /^ready (\S+) — .* dashboard (\S+)$/m;

const pod = { containers: [{ name: 'main', image: 'busybox' }], restartPolicy: 'Never' };
const cronJob = (name: string, suspend: boolean) => ({
  metadata: { name },
  spec: { schedule: '0 0 1 1 *', suspend, jobTemplate: { spec: { template: { spec: pod } } } },
});

describe.skipIf(chromium.missing)(suite, () => {
  const bench = createWorkbench();
  let browser: Browser;
  let api: Api;
  let url: string;

  beforeAll(async () => {
    const folder = bench.folder();
    const tokens = join(folder, 'tokens.csv');
    writeFileSync(tokens, 'admintoken,admin,1,"system:masters"\n');
    const data = join(folder, 'data');
    const program = bench.orch(['up', '--data-dir', data, '--secure-port', '0', '--token-auth-file', tokens]);
    [, , url = ''] = await program.output(READY);
    api = createApi(join(data, 'admin.conf'));
    await created(api, '/api/v1/namespaces', { metadata: { name: 'team' } });
    await created(api, CRON_JOBS, cronJob('report', false));
    await created(api, CRON_JOBS, cronJob('paused', true));
    browser = await launchBrowser(chromium.path ?? '');
  });
  afterAll(async () => {
    await browser?.close();
    await api?.close();
    await bench.close();
  });

  async function visit(
    place: string,
    options: { readonly colorScheme?: 'light' | 'dark'; readonly width?: number } = {},
  ): Promise<Page> {
    const page = await signedIn(browser, url + place, 'admintoken', options);
    onTestFinished(() => page.context().close());
    return page;
  }

  it('lead from all kinds to the objects in a state, and follow a change', async () => {
    const page = await visit('');
    await page.getByRole('link', { name: 'Lifecycles' }).click();
    await page.getByRole('link', { name: 'lifecycle cron-job' }).click();
    await page.getByRole('button', { name: 'state Suspended, 1 object' }).click();
    await page.getByRole('heading', { name: 'Objects in Suspended' }).waitFor();
    await page.getByRole('link', { name: 'team/paused' }).waitFor();
    expect(await page.getByRole('link', { name: 'team/report' }).count()).toBe(0);
    await api.call('PATCH', `${CRON_JOBS}/report`, { body: { spec: { suspend: true } } });
    await page.getByRole('link', { name: 'team/report' }).waitFor();
    await page.getByText('Waiting → Suspended').waitFor();
    await page.getByRole('link', { name: 'team/paused' }).click();
    await page.getByText('kind: CronJob').waitFor();
  });

  it('show every kind of a running cluster without a problem', async () => {
    const page = await visit('#/lifecycles');
    await page.getByRole('link', { name: 'lifecycle lease' }).waitFor();
    await page.getByText('syncing').waitFor({ state: 'detached' });
    expect(await page.getByText('not readable').count()).toBe(0);
    expect(await page.getByRole('listitem').count()).toBe(14);
  });

  it.each([
    ['#/lifecycles', 'light', 1440],
    ['#/lifecycles/cron-job/Suspended', 'dark', 1440],
    ['#/lifecycles/cron-job', 'light', 390],
  ] as const)(
    'have no serious finding of axe-core at %s, %s, %i pixels wide',
    async (place, colorScheme, width) => {
      const page = await visit(place, { colorScheme, width });
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('svg.chart').first().waitFor();
      expect(await seriousFindings(page)).toEqual([]);
    },
  );
});
