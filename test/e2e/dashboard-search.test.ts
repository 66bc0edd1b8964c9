import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { service } from '../services.ts';
import { type Api, at, createApi } from './api.ts';
import { launchBrowser, seriousFindings, signedIn } from './browser.ts';
import { created } from './cluster.ts';
import { createWorkbench } from './process.ts';

const suite = 'search and namespaces in the dashboard';
const chromium = service('chromium', suite);
const READY = /^ready (\S+) — .* dashboard (\S+)$/m;
const template = {
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } } },
};
const NIGHTLY = `#/explorer/${encodeURIComponent('batch/v1/cronjobs')}/${encodeURIComponent('red/nightly')}`;

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
    for (const name of ['red', 'blue']) {
      await created(api, '/api/v1/namespaces', { metadata: { name } });
      await created(api, `/apis/batch/v1/namespaces/${name}/cronjobs`, {
        metadata: { name: 'nightly' },
        spec: { schedule: '0 0 1 1 *', jobTemplate: template },
      });
    }
    browser = await launchBrowser(chromium.path ?? '');
  });
  afterAll(async () => {
    await browser?.close();
    await api?.close();
    await bench.close();
  });

  async function visit(where: string, size = {}): Promise<Page> {
    const page = await signedIn(browser, url + where, 'admintoken', size);
    onTestFinished(() => page.context().close());
    await page.getByRole('heading', { level: 1 }).waitFor();
    return page;
  }
  const results = (page: Page) => page.getByRole('listbox', { name: 'results' });
  const input = (page: Page) => page.getByRole('combobox', { name: /^search acts/ });

  it.each(['/', 'Control+k', 'Meta+k'])('finds an object by keyboard alone after %s', async (key) => {
    const page = await visit('');
    await page.locator('body').press(key);
    await input(page).pressSequentially('red nightly');
    await page.getByRole('option', { name: 'red/nightly CronJob' }).waitFor();
    await expect
      .poll(() => results(page).getByRole('option', { selected: true }).innerText())
      .toContain('red/nightly');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'cronjobs / red/nightly' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('moves through results with arrow keys, and keeps the focus in the input', async () => {
    const page = await visit('');
    await page.keyboard.press('/');
    await input(page).pressSequentially('cronjob');
    await page.getByRole('option', { name: /^cronjob controller/ }).waitFor();
    const active = () => input(page).getAttribute('aria-activedescendant');
    const first = await active();
    await page.keyboard.press('ArrowDown');
    await expect.poll(active).not.toBe(first);
    await page.keyboard.press('ArrowUp');
    await expect.poll(active).toBe(first);
    expect(await input(page).evaluate((element) => element.matches(':focus'))).toBe(true);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  });

  it('performs an act of the shown object from the search', async () => {
    const page = await visit(NIGHTLY);
    await page.getByRole('button', { name: 'suspend', exact: true }).waitFor();
    await expect
      .poll(() => page.getByRole('button', { name: 'suspend', exact: true }).getAttribute('aria-disabled'))
      .toBe(null);
    await page.keyboard.press('Control+k');
    await input(page).pressSequentially('suspend');
    await page.keyboard.press('Enter');
    await page.getByText('The CronJob is suspended.').waitFor();
    const { json } = await api.call('GET', '/apis/batch/v1/namespaces/red/cronjobs/nightly');
    expect(at(json, 'spec', 'suspend')).toBe(true);
  });

  it('lists the shortcuts under ?, and follows them', async () => {
    const page = await visit('');
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await dialog.getByText('go to the explorer').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await page.getByRole('heading', { name: 'Explorer' }).waitFor();
  });

  it.each(['/', '?', 'Control+k', 'g'])('leaves %s to an input that has the focus', async (key) => {
    const page = await visit('#/explorer');
    const field = page.getByLabel('search resources');
    await field.focus();
    await page.keyboard.press(key);
    await page.keyboard.press('e');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await field.inputValue()).toBe(key.length === 1 ? `${key}e` : 'e');
  });

  it('limits keys, objects and lifecycles to the namespace in the address', async () => {
    const page = await visit('#/controllers/cronjob?namespace=red');
    const keys = page.getByRole('list', { name: 'keys' });
    await keys.getByText('red/nightly').waitFor();
    expect(await keys.getByText('blue/nightly').count()).toBe(0);
    await page.getByLabel('namespace', { exact: true }).selectOption('blue');
    await keys.getByText('blue/nightly').waitFor();
    await expect.poll(() => keys.getByText('red/nightly').count()).toBe(0);
    expect(page.url()).toContain('namespace=blue');
    await page.getByRole('link', { name: 'Explorer' }).click();
    await page.getByRole('link', { name: 'cronjobs' }).click();
    await page.getByRole('heading', { name: '1 of 2 cronjobs' }).waitFor();
    expect(page.url()).toContain('namespace=blue');
    await page.reload();
    await page.getByRole('heading', { name: '1 of 2 cronjobs' }).waitFor();
    await page.evaluate(`location.hash = '#/lifecycles/cron-job'`);
    const objects = page.getByRole('region', { name: 'Objects' });
    await objects.getByText('blue/nightly').waitFor();
    expect(await objects.getByText('red/nightly').count()).toBe(0);
    await page.getByLabel('namespace', { exact: true }).selectOption('');
    await objects.getByText('red/nightly').waitFor();
    expect(page.url()).not.toContain('namespace');
  });

  it.each([
    [390, 'light'],
    [390, 'dark'],
    [1440, 'light'],
    [1440, 'dark'],
  ] as const)('has no serious finding at %i px in the %s theme', async (width, colorScheme) => {
    const page = await visit('', { width, height: 900, colorScheme });
    await page.getByRole('button', { name: 'search', exact: true }).click();
    await input(page).pressSequentially('nightly');
    await results(page).getByRole('option').first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });
});
