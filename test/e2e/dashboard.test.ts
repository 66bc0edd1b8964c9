import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { generateKeyPair } from '../../base/pki/keys.ts';
import { createCertificateRequest } from '../../base/pki/request.ts';
import { freePort } from '../free-port.ts';
import { service } from '../services.ts';
import { type Api, at, createApi } from './api.ts';
import { launchBrowser, seriousFindings, signedIn } from './browser.ts';
import { created, eventually, statusOf } from './cluster.ts';
import { createWorkbench } from './process.ts';

const suite = 'the dashboard in a browser';
const chromium = service('chromium', suite);
const CRON_JOBS = '/apis/batch/v1/namespaces/team/cronjobs';
const REQUESTS = '/apis/certificates.orch.io/v1/certificatesigningrequests';
const TOKENS = 'admintoken,admin,1,"system:masters"\nstrangertoken,stranger,2\nreadertoken,reader,3\n';
const READY = /^ready (\S+) — .* dashboard (\S+)$/m;

const pod = { containers: [{ name: 'main', image: 'busybox' }], restartPolicy: 'Never' };
const cronJob = (name: string) => ({
  metadata: { name },
  spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: { template: { spec: pod } } } },
});

describe.skipIf(chromium.missing)(suite, () => {
  const bench = createWorkbench();
  let browser: Browser;
  let api: Api;
  let data: string;
  let url: string;

  beforeAll(async () => {
    const folder = bench.folder();
    const tokens = join(folder, 'tokens.csv');
    writeFileSync(tokens, TOKENS);
    data = join(folder, 'data');
    const flags = ['--secure-port', '0', '--token-auth-file', tokens, '--feature-gates=CronJobTimeZone=true'];
    const program = bench.orch(['up', '--data-dir', data, ...flags]);
    [, , url = ''] = await program.output(READY);
    api = createApi(join(data, 'admin.conf'));
    await created(api, '/api/v1/namespaces', { metadata: { name: 'team' } });
    await created(api, CRON_JOBS, cronJob('report'));
    const pem = createCertificateRequest(generateKeyPair('ec-p256'), {
      commonName: 'web',
      organizations: [],
    });
    await created(api, REQUESTS, {
      metadata: { name: 'web' },
      spec: {
        request: Buffer.from(pem).toString('base64'),
        signerName: 'orch.io/orch-apiserver-client',
        usages: ['client auth'],
      },
    });
    await created(api, '/apis/rbac.authorization.orch.io/v1/clusterrolebindings', {
      metadata: { name: 'reader' },
      roleRef: { apiGroup: 'rbac.authorization.orch.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ apiGroup: 'rbac.authorization.orch.io', kind: 'User', name: 'reader' }],
    });
    browser = await launchBrowser(chromium.path ?? '');
  });
  afterAll(async () => {
    await browser?.close();
    await api?.close();
    await bench.close();
  });

  async function visit(token: string, place = '', colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
    const page = await signedIn(browser, url + place, token, { colorScheme });
    onTestFinished(() => page.context().close());
    return page;
  }

  it('shows transitions live: a suspended CronJob moves from waiting to settled', async () => {
    const page = await visit('admintoken', '#/controllers/cronjob');
    await page.getByRole('button', { name: 'state waiting, 1 key' }).waitFor();
    await page.getByRole('button', { name: 'deciding to waiting, taken once' }).waitFor();
    await api.call('PATCH', `${CRON_JOBS}/report`, { body: { spec: { suspend: true } } });
    await page.getByRole('button', { name: 'state settled, 1 key' }).waitFor();
    await page.getByRole('button', { name: 'deciding to settled, taken once' }).press('Enter');
    await page.getByRole('heading', { name: 'deciding → settled' }).waitFor();
    expect(await page.getByRole('link', { name: 'team/report' }).count()).toBe(1);
  });

  it('links the overview to a CertificateSigningRequest that waits for approval, and explains why it waits', async () => {
    const page = await visit('admintoken');
    await page.getByRole('link', { name: 'controller csrcleaner' }).click();
    await page.getByRole('button', { name: 'state requeue, 1 key' }).click();
    await page.getByRole('heading', { name: 'Keys in requeue' }).waitFor();
    await page.getByRole('link', { name: 'web' }).click();
    const said = page.getByRole('status', { name: 'explanation' });
    await said.getByText('it is not approved yet').waitFor();
    await page.getByText('ADDED').first().waitFor();
    await page.getByText('kind: CertificateSigningRequest').waitFor();
  });

  it('shows the next runs of a CronJob in its time zone and dialect, with the offset of each', async () => {
    const dialect = { 'batch.orch.io/schedule-dialect': 'extended' };
    const zoned = { ...cronJob('zoned'), metadata: { name: 'zoned', annotations: dialect } };
    const spec = { ...zoned.spec, schedule: '30 0 9 LW * *', timeZone: 'America/New_York' };
    await created(api, CRON_JOBS, { ...zoned, spec });
    const page = await visit('admintoken', '#/controllers/cronjob/keys/team%2Fzoned');
    const card = page.getByRole('region', { name: 'Next runs' });
    await card.getByText('extended dialect · America/New_York').waitFor();
    const runs = await card.getByRole('listitem').allInnerTexts();
    expect(runs).toHaveLength(5);
    for (const run of runs) expect(run).toMatch(/ 09:00:30\s+UTC−0[45]:00\s+in \d+ (d|h|min|s)$/);
    await api.call('PATCH', `${CRON_JOBS}/zoned`, { body: { spec: { suspend: true } } });
    await card.getByText('No runs while the CronJob is suspended.').waitFor();
    expect(await card.getByRole('listitem').count()).toBe(0);
  });

  it('moves back and forward in time', async () => {
    const page = await visit('admintoken', '#/controllers/csrcleaner/keys/web');
    await page.getByRole('button', { name: 'pause' }).click();
    const pill = page.getByRole('heading', { level: 1 });
    expect(await pill.textContent()).toContain('requeue');
    const back = page.getByRole('button', { name: 'step back' });
    for (let step = 0; step < 4; step++) await back.click();
    await pill.getByText('observing').waitFor();
    for (let step = 0; step < 4; step++) await page.getByRole('button', { name: 'step forward' }).click();
    await pill.getByText('requeue').waitFor();
    await page.getByRole('button', { name: 'go live' }).click();
    await page.getByRole('button', { name: 'pause' }).waitFor();
  });

  it('exports a journal that a page replays without a server, or while the page is open', async () => {
    const page = await visit('admintoken');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'export' }).click(),
    ]);
    const file = join(bench.folder(), 'journal.ndjson');
    await download.saveAs(file);
    await page.getByLabel('open').setInputFiles(file);
    await page.getByRole('button', { name: 'go live' }).waitFor();
    await page.getByRole('link', { name: 'controller cronjob' }).waitFor();

    const alone = bench.orch(['dashboard', '--journal', file]);
    const [, address = ''] = await alone.output(/^ready (\S+) — a journal of \d+ entries$/m);
    const played = await signedIn(browser, `${address}#/controllers/csrcleaner/keys/web`, '');
    onTestFinished(() => played.context().close());
    await played.getByRole('slider', { name: 'position in the journal' }).waitFor();
    await played.getByRole('status', { name: 'explanation' }).getByText('web waits').waitFor();
    expect(await played.getByRole('link', { name: 'Explorer' }).count()).toBe(0);
  });

  it('browses, edits and deletes objects that the user may change', async () => {
    await created(api, CRON_JOBS, cronJob('extra'));
    const page = await visit('admintoken', `#/explorer/${encodeURIComponent('batch/v1/cronjobs')}`);
    await page.getByRole('columnheader', { name: 'Schedule', exact: true }).waitFor();
    await page.getByLabel('search objects').fill('extra');
    await page.getByRole('link', { name: 'extra', exact: true }).click();
    await page.getByRole('button', { name: 'edit' }).click();
    const text = page.getByLabel('edit the object as YAML');
    await text.fill((await text.inputValue()).replace('suspend: false', 'suspend: true'));
    await page.getByRole('button', { name: 'review changes' }).click();
    await page
      .getByRole('region', { name: 'changes to save' })
      .getByText(/^\+ +suspend: true/)
      .waitFor();
    await page.getByRole('button', { name: 'save' }).click();
    await page.getByText('Saved.').waitFor();
    expect((await api.call('GET', `${CRON_JOBS}/extra`)).json).toMatchObject({ spec: { suspend: true } });
    await page.getByRole('button', { name: 'delete' }).click();
    await page.getByText('It has no dependents.').waitFor();
    await page.getByRole('button', { name: 'delete team/extra for good' }).click();
    await eventually(statusOf(api, `${CRON_JOBS}/extra`)).toBe(404);
  });

  it('browses beyond one list page, and finds the last object', async () => {
    const maps = '/api/v1/namespaces/team/configmaps';
    const names = Array.from({ length: 540 }, (_, at) => `map-${at}`);
    for (let from = 0; from < names.length; from += 100)
      await Promise.all(
        names.slice(from, from + 100).map((name) => created(api, maps, { metadata: { name } })),
      );
    const page = await visit('admintoken', `#/explorer/${encodeURIComponent('/v1/configmaps')}`);
    const heading = page.getByRole('heading', { level: 2 });
    await heading.getByText(/^5\d\d configmaps$/).waitFor();
    expect(await page.getByRole('row').count()).toBeLessThan(60);
    await page.getByLabel('search objects').fill('map-539');
    await page.getByRole('link', { name: 'map-539' }).waitFor();
    await api.call('DELETE', `${maps}/map-539`);
    await page.getByText('No object contains “map-539”.').waitFor();
  });

  it('links an object to its controllers and to the objects of any kind that it owns', async () => {
    const { json } = await api.call('GET', `${CRON_JOBS}/report`);
    const uid = at(json, 'metadata', 'uid');
    await created(api, '/api/v1/namespaces/team/secrets', {
      metadata: {
        name: 'owned',
        ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'report', uid }],
      },
    });
    const page = await visit(
      'admintoken',
      `#/explorer/${encodeURIComponent('batch/v1/cronjobs')}/team%2Freport`,
    );
    await page.getByText('kind: CronJob').waitFor();
    await api.call('PATCH', `${CRON_JOBS}/report`, { body: { metadata: { labels: { seen: 'live' } } } });
    await page.getByText('seen: live').waitFor();
    await page.getByRole('link', { name: 'cronjob', exact: true }).click();
    await page.getByRole('status', { name: 'explanation' }).waitFor();
    await page.getByRole('link', { name: 'owns Secret team/owned' }).click();
    await page.getByRole('heading', { name: 'Secret', exact: true }).waitFor();
  });

  it('shows a server by its kubeconfig, without certificate or token in the browser', async () => {
    const program = bench.orch(['dashboard', '--kubeconfig', join(data, 'admin.conf')]);
    const [, address = ''] = await program.output(/^ready (\S+) — shows https/m);
    const page = await signedIn(
      browser,
      `${address}#/explorer/${encodeURIComponent('batch/v1/cronjobs')}/team%2Freport`,
      '',
    );
    onTestFinished(() => page.context().close());
    await page.getByRole('button', { name: 'edit' }).waitFor();
    await page.getByRole('link', { name: 'Controllers', exact: true }).click();
    await page.getByRole('link', { name: 'controller cronjob' }).waitFor();
    expect(await page.getByRole('button', { name: 'sign in' }).count()).toBe(0);
    await program.end('SIGTERM');
  });

  it('marks its data as stale when the server stops responding', async () => {
    const program = bench.orch(['dashboard', '--kubeconfig', join(data, 'admin.conf')]);
    const [, address = ''] = await program.output(/^ready (\S+) — shows https/m);
    const page = await signedIn(browser, 'about:blank', '');
    onTestFinished(() => page.context().close());
    await page.clock.install();
    await page.goto(address);
    const card = page.getByRole('link', { name: 'controller cronjob' });
    await card.waitFor();
    process.kill(program.pid, 'SIGSTOP');
    await page.clock.fastForward(30_000);
    await page.getByText('no data from the server for 20 seconds').waitFor();
    process.kill(program.pid, 'SIGCONT');
    await page.clock.fastForward(1_000);
    await card.waitFor();
    await program.end('SIGTERM');
  });

  it('shows a standalone controller manager on its health port, with its leases', async () => {
    const port = await freePort();
    const flags = ['--leader-elect', '--healthz-dashboard', '--healthz-port', String(port)];
    const manager = bench.orch(['controller-manager', '--data-dir', data, ...flags]);
    await manager.output(/^ready https/m);
    const page = await signedIn(browser, `http://127.0.0.1:${port}/`, '');
    onTestFinished(() => page.context().close());
    const card = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('link', { name: 'controller cronjob' }) });
    await card.getByText('leader', { exact: true }).waitFor();
    await page
      .getByRole('region', { name: 'Replicas' })
      .getByRole('row', { name: /this one.* cronjob/ })
      .waitFor();
    await page.getByRole('link', { name: 'controller cronjob' }).click();
    await page.getByRole('heading', { name: 'Leader' }).waitFor();
    await page.getByRole('link', { name: /^team\/report/ }).click();
    await page.getByRole('status', { name: 'explanation' }).getByText('team/report').waitFor();
    // The server at this address serves no objects.
    expect(await page.getByRole('heading', { name: 'Object' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Explorer' }).count()).toBe(0);
    expect(await manager.end('SIGTERM')).toMatchObject({ code: 0 });
  });

  it('has no buttons for changes if the user may only read, and shows no journal without permission', async () => {
    const page = await visit(
      'readertoken',
      `#/explorer/${encodeURIComponent('batch/v1/cronjobs')}/team%2Freport`,
    );
    await page.getByText('kind: CronJob').waitFor();
    expect(await page.getByRole('button', { name: /edit|delete/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Controllers', exact: true }).click();
    await page.getByText('You may not see this').waitFor();
  });

  it.each([
    ['strangertoken', 'You may not see this'],
    ['', 'Sign in to see this'],
  ])('shows no data of the cluster with the token %j', async (token, heading) => {
    const page = await visit(token);
    await page.getByText(heading).waitFor();
    const secrets = `#/explorer/${encodeURIComponent('/v1/secrets')}`;
    await page.goto(`${url}${secrets}`);
    await page.getByText(heading).waitFor();
    const shown = await page.locator('body').innerText();
    expect(shown).not.toMatch(/csrsigning|report|cronjob\b/);
  });

  it("uses the dark theme of the system or of the user's choice", async () => {
    const page = await visit('admintoken', '', 'dark');
    const ground = (): Promise<string> => page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(await ground()).toBe('rgb(13, 18, 25)');
    await page.getByRole('button', { name: 'use the light theme' }).click();
    expect(await ground()).toBe('rgb(243, 245, 249)');
  });

  it('can be used with the keyboard only', async () => {
    const page = await visit('admintoken', '#/controllers/cronjob');
    const state = page.getByRole('button', { name: /^state settled/ });
    await state.focus();
    const chart = page.getByRole('group', { name: 'the machine of cronjob' });
    const seen = (): Promise<string | null> => chart.getAttribute('viewBox');
    const opened = await seen();
    await page.keyboard.press('+');
    await expect.poll(seen).not.toBe(opened);
    await page.keyboard.press('0');
    await expect.poll(seen).toMatch(/^-14 -14 /);
    const whole = await seen();
    for (const key of ['+', 'Shift+ArrowDown', 'Shift+ArrowRight']) await page.keyboard.press(key);
    expect(await seen()).not.toBe(whole);
    await page.keyboard.press('0');
    await expect.poll(seen).toBe(whole);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Keys in settled' }).waitFor();
    await chart.focus();
    await page.keyboard.press('ArrowDown');
    const first = page.locator(':focus');
    expect(await first.getAttribute('data-state')).not.toBeNull();
    // The chart is one stop of the Tab key, however many states and transitions it has.
    const focused = (): Promise<unknown> =>
      page.evaluate('document.activeElement.closest(".chart-frame")?.firstChild === document.activeElement');
    await chart.focus();
    expect(await focused()).toBe(true);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.closest("svg")')).toBeNull();
    await page.keyboard.press('Shift+Tab');
    expect(await focused()).toBe(true);
    await page.getByRole('link', { name: 'team/report' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('status', { name: 'explanation' }).waitFor();
  });

  const places = {
    overview: '',
    'a controller': '#/controllers/cronjob',
    'a key': '#/controllers/csrcleaner/keys/web',
    'the explorer': `#/explorer/${encodeURIComponent('batch/v1/cronjobs')}`,
    'an object': `#/explorer/${encodeURIComponent('batch/v1/cronjobs')}/team%2Freport`,
  };
  it.each(Object.entries(places))(
    'shows %s with names for screen readers and sufficient contrast',
    async (_, place) => {
      const page = await visit('admintoken', place);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page
        .getByRole('table')
        .or(page.getByText('ADDED'))
        .or(page.getByText('kind: CronJob'))
        .first()
        .waitFor();
      expect(await seriousFindings(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await seriousFindings(page)).toEqual([]);
    },
  );

  it('renders within a second, under a policy that allows only its own scripts', async () => {
    const page = await visit('admintoken');
    const paint = 'performance.getEntriesByName("first-contentful-paint")[0].startTime';
    const reload = async (): Promise<number> => {
      await page.reload();
      await page.getByRole('heading', { name: 'Controllers' }).waitFor();
      return page.evaluate<number>(paint);
    };
    expect(Math.min(await reload(), await reload())).toBeLessThan(1_000);
    const policy = (await page.reload())?.headers()['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
  });
});
