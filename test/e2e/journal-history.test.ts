import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { service } from '../services.ts';
import { type Api, createApi } from './api.ts';
import { launchBrowser, seriousFindings, signedIn } from './browser.ts';
import { created, eventually } from './cluster.ts';
import { type Program, createWorkbench } from './process.ts';

const suite = 'a moment of the journal in a browser';
const chromium = service('chromium', suite);
const CRON_JOBS = '/apis/batch/v1/namespaces/team/cronjobs';
const READY = /^ready (\S+) — .* dashboard (\S+)$/m;
const SECRET = 'hunter2-of-the-journal';

const pod = { containers: [{ name: 'main', image: 'busybox' }], restartPolicy: 'Never' };
const cronJob = (name: string) => ({
  metadata: { name },
  spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: { template: { spec: pod } } } },
});

const bench = createWorkbench();
afterAll(() => bench.close());

interface Started {
  readonly api: Api;
  readonly page: string;
  readonly program: Program;
}

async function started(folder: string): Promise<Started> {
  const tokens = join(folder, 'tokens.csv');
  writeFileSync(tokens, 'admintoken,admin,1,"system:masters"\n');
  const data = join(folder, 'data');
  const flags = ['--secure-port', '0', '--token-auth-file', tokens, '--journal-dir', join(folder, 'journal')];
  const program = bench.orch(['up', '--data-dir', data, ...flags]);
  const [, , page = ''] = await program.output(READY);
  const api = createApi(join(data, 'admin.conf'));
  onTestFinished(() => api.close());
  return { api, page, program };
}

const entriesOf = async (api: Api, key: string): Promise<string> =>
  JSON.stringify((await api.call('GET', `/journal/v1/key?controller=cronjob&key=${key}`)).json);

async function createTeam(api: Api): Promise<void> {
  await created(api, '/api/v1/namespaces', { metadata: { name: 'team' } });
  await created(api, '/api/v1/namespaces/team/secrets', {
    metadata: { name: 'password' },
    stringData: { password: SECRET },
  });
  await created(api, CRON_JOBS, cronJob('report'));
  await eventually(() => entriesOf(api, 'team%2Freport')).toContain('"outcome":"requeue"');
}

describe('--journal-dir', () => {
  it('keeps the journal over a restart and over a kill, without secrets', async () => {
    const folder = bench.folder();
    const first = await started(folder);
    await createTeam(first.api);
    await first.api.call('DELETE', `${CRON_JOBS}/report`);
    await eventually(() => entriesOf(first.api, 'team%2Freport')).toContain('DELETED');
    expect(await first.program.end('SIGTERM')).toMatchObject({ code: 0 });

    const second = await started(folder);
    expect(await entriesOf(second.api, 'team%2Freport')).toMatch(/ADDED.*"outcome":"requeue".*DELETED/);
    await created(second.api, CRON_JOBS, cronJob('killed'));
    const journal = join(folder, 'journal');
    const written = (): string =>
      readdirSync(journal)
        .map((name) => readFileSync(join(journal, name), 'utf8'))
        .join('');
    await eventually(async () => written()).toContain('team/killed');
    await second.program.end('SIGKILL');
    expect(written()).not.toContain(SECRET);

    const third = await started(folder);
    expect(await entriesOf(third.api, 'team%2Freport')).toContain('DELETED');
    expect(await entriesOf(third.api, 'team%2Fkilled')).toContain('ADDED');
    await third.program.end('SIGTERM');
  });

  it('fails at once if the folder cannot be written', async () => {
    const folder = bench.folder();
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const flags = ['--secure-port', '0', '--journal-dir', join(file, 'journal')];
    const program = bench.orch(['up', '--data-dir', join(folder, 'data'), ...flags]);
    expect((await program.exit()).code).not.toBe(0);
    expect(program.stderr).toContain('as the journal directory');
  });
});

describe.skipIf(chromium.missing)(suite, () => {
  it('shows the keys of a moment, which a link and a reload show again', async () => {
    const { api, page: url, program } = await started(bench.folder());
    const browser: Browser = await launchBrowser(chromium.path ?? '');
    onTestFinished(() => browser.close());
    await createTeam(api);
    const page = await signedIn(browser, `${url}#/controllers/cronjob`, 'admintoken');
    await page.getByRole('button', { name: 'state waiting, 1 key' }).waitFor();
    await page.getByRole('button', { name: 'pause' }).click();
    await page.getByRole('button', { name: 'go live' }).waitFor();
    await expect.poll(() => page.url()).toMatch(/#\/controllers\/cronjob\?at=\d+$/);
    const link = page.url();

    await created(api, CRON_JOBS, cronJob('later'));
    await api.call('DELETE', `${CRON_JOBS}/report`);
    await eventually(() => entriesOf(api, 'team%2Freport')).toContain('DELETED');
    await page.getByRole('button', { name: 'state waiting, 1 key' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'state waiting, 1 key' }).press('Enter');
    await page.getByRole('link', { name: /^team\/report/ }).click();
    await page.getByRole('heading', { level: 1, name: /team\/report/ }).waitFor();
    await expect.poll(() => page.url()).toMatch(/keys\/team%2Freport\?at=\d+$/);

    await page.goto('about:blank');
    await page.goto(link);
    await page.getByRole('button', { name: 'state waiting, 1 key' }).waitFor();
    await page.getByRole('slider', { name: 'position in the journal' }).waitFor();
    await page.getByText('events before this moment').click();
    await page
      .getByRole('list', { name: 'events before this moment' })
      .getByText('team/report')
      .first()
      .waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    const slider = page.getByRole('slider', { name: 'position in the journal' });
    const last = Number(await slider.getAttribute('max'));
    await slider.fill(String(last));
    await expect.poll(() => page.url()).not.toBe(link);
    await page.getByRole('button', { name: 'go live' }).click();
    await page.getByRole('button', { name: 'pause' }).waitFor();
    expect(page.url()).not.toContain('?at=');
    await program.end('SIGTERM');
  });
});
