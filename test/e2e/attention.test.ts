import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { service } from '../services.ts';
import { type Api, createApi } from './api.ts';
import { launchBrowser, seriousFindings, signedIn } from './browser.ts';
import { created } from './cluster.ts';
import { createWorkbench } from './process.ts';

const suite = 'the list of what needs attention in a browser';
const chromium = service('chromium', suite);
const READY = /^ready (\S+) — .* dashboard (\S+)$/m;
const BATCH = '/apis/batch/v1/namespaces/team';

const podSpec = { containers: [{ name: 'main', image: 'busybox' }], restartPolicy: 'Never' };
const cronJob = (name: string, spec: object) => ({
  metadata: { name },
  spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: { template: { spec: podSpec } } }, ...spec },
});

describe.skipIf(chromium.missing)(suite, () => {
  const bench = createWorkbench();
  let browser: Browser;
  let api: Api;
  let url: string;
  let data: string;

  beforeAll(async () => {
    const folder = bench.folder();
    const tokens = join(folder, 'tokens.csv');
    writeFileSync(tokens, 'admintoken,admin,1,"system:masters"\n');
    data = join(folder, 'data');
    const program = bench.orch(['up', '--data-dir', data, '--secure-port', '0', '--token-auth-file', tokens]);
    [, , url = ''] = await program.output(READY);
    api = createApi(join(data, 'admin.conf'));
    await created(api, '/api/v1/namespaces', { metadata: { name: 'team' } });
    await created(api, `${BATCH}/cronjobs`, cronJob('paused', { suspend: true }));
    await created(api, `${BATCH}/cronjobs`, cronJob('never', { schedule: '0 0 31 2 *' }));
    await created(api, `${BATCH}/cronjobs`, cronJob('healthy', {}));
    await created(api, '/api/v1/namespaces/team/resourcequotas', {
      metadata: { name: 'none' },
      spec: { hard: { pods: '0' } },
    });
    // A quota limits nothing until its controller has written its status, as in release 1.24.
    const quota = '/api/v1/namespaces/team/resourcequotas/none';
    await vi.waitFor(async () => expect((await api.call('GET', quota)).text).toContain('"used"'));
    await created(api, `${BATCH}/jobs`, {
      metadata: { name: 'work' },
      spec: { template: { spec: podSpec } },
    });
    browser = await launchBrowser(chromium.path ?? '');
    const listed = (reason: string) => async (): Promise<void> =>
      expect((await api.call('GET', '/journal/v1/attention')).text).toContain(reason);
    await vi.waitFor(listed('quota-exceeded'), { timeout: 30_000, interval: 100 });
    // Created after the list follows the caches, because the Secret is deleted at once.
    await created(api, '/api/v1/namespaces/team/secrets', {
      metadata: { name: 'token', annotations: { 'orch.io/service-account.name': 'ghost' } },
      type: 'orch.io/service-account-token',
    });
    await vi.waitFor(listed('no-account'), { timeout: 20_000, interval: 100 });
  });
  afterAll(async () => {
    await browser?.close();
    await api?.close();
    await bench.close();
  });

  async function visit(place = '', options: Parameters<typeof signedIn>[3] = {}): Promise<Page> {
    const page = await signedIn(browser, url + place, 'admintoken', options);
    onTestFinished(() => page.context().close());
    return page;
  }
  const list = (page: Page) => page.getByRole('region', { name: 'Needs attention' });

  it.each([
    ['is suspended and skips its runs', 'CronJob team/paused', 'CronJob'],
    ['has no due time in the next five years', 'CronJob team/never', 'CronJob'],
    ['ResourceQuota team/none allows pods=0', 'ResourceQuota team/none', 'ResourceQuota'],
  ])('leads from the overview by one click to the object of "%s"', async (sentence, name, kind) => {
    const page = await visit();
    const row = list(page).getByRole('listitem').filter({ hasText: sentence });
    await row.getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { level: 1, name: kind }).waitFor();
    expect(decodeURIComponent(page.url())).toContain(name.split(' ')[1] ?? '');
  });

  it('shows no healthy object, and filters by kind', async () => {
    const page = await visit();
    await list(page).getByText('CronJob team/paused').waitFor();
    expect(await list(page).getByText('team/healthy').count()).toBe(0);
    await page.getByLabel('filter by kind').selectOption('Secret');
    await list(page).getByText('ServiceAccount team/ghost').waitFor();
    await list(page).getByText('CronJob team/paused').waitFor({ state: 'detached' });
  });

  it('does not call a stuck object settled', async () => {
    const page = await visit('#/controllers/cronjob/keys/team%2Fpaused');
    const heading = page.getByRole('heading', { level: 1 });
    await heading.getByText('needs attention').waitFor();
    expect(await heading.textContent()).not.toContain('settled');
    expect(await page.getByRole('status', { name: 'explanation' }).textContent()).not.toContain('settled');
    await page.getByText('is suspended and skips its runs').waitFor();
  });

  it('leads from the number of failing keys to these keys', async () => {
    const page = await visit();
    await page.getByRole('link', { name: /^keys failing: \d+$/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Keys failing' }).waitFor();
    await page.getByRole('link', { name: 'team/work' }).click();
    await page
      .getByRole('status', { name: 'needs attention' })
      .getByText('ResourceQuota team/none')
      .waitFor();
  });

  it('prints the same sentences with orch why', async () => {
    const why = bench.orch(['why', 'job', 'team/work', '--kubeconfig', join(data, 'admin.conf')]);
    const [text] = await why.output(/^.*quota-exceeded, job, blocked by resourcequotas\/none -n team$/m);
    expect(text).toContain('quota-exceeded');
  });

  it.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 390],
    ['dark', 390],
  ] as const)(
    'has no serious accessibility findings in the %s theme at %i px',
    async (colorScheme, width) => {
      const page = await visit('', { colorScheme, width });
      await list(page).getByText('CronJob team/paused').waitFor();
      expect(await seriousFindings(page)).toEqual([]);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    },
  );
});
