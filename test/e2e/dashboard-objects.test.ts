import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { service } from '../services.ts';
import { type Api, at, createApi } from './api.ts';
import { launchBrowser, seriousFindings, signedIn } from './browser.ts';
import { created, eventually, statusOf } from './cluster.ts';
import { createWorkbench } from './process.ts';

const suite = 'objects and keys in the dashboard';
const chromium = service('chromium', suite);
const MAPS = '/api/v1/namespaces/team/configmaps';
const READY = /^ready (\S+) — .* dashboard (\S+)$/m;
const PHONE = { width: 390, height: 844 };

const place = (resource: string, object = ''): string =>
  `#/explorer/${encodeURIComponent(resource)}${object === '' ? '' : `/${encodeURIComponent(object)}`}`;
const map = (name: string, data: object = {}) => ({ metadata: { name }, data: { colour: 'red', ...data } });

describe.skipIf(chromium.missing)(suite, () => {
  const bench = createWorkbench();
  let browser: Browser;
  let api: Api;
  let url: string;
  let readyLine: string;

  beforeAll(async () => {
    const folder = bench.folder();
    const tokens = join(folder, 'tokens.csv');
    writeFileSync(tokens, 'admintoken,admin,1,"system:masters"\n');
    const data = join(folder, 'data');
    const flags = ['--secure-port', '0', '--token-auth-file', tokens];
    const program = bench.orch(['up', '--data-dir', data, ...flags]);
    [readyLine = '', , url = ''] = await program.output(READY);
    api = createApi(join(data, 'admin.conf'));
    await created(api, '/api/v1/namespaces', { metadata: { name: 'team' } });
    browser = await launchBrowser(chromium.path ?? '');
  });
  afterAll(async () => {
    await browser?.close();
    await api?.close();
    await bench.close();
  });

  async function visit(where: string, size: { width?: number; height?: number } = {}): Promise<Page> {
    const page = await signedIn(browser, url + where, 'admintoken', size);
    onTestFinished(() => page.context().close());
    return page;
  }

  it('keeps an edit over other views and a reload, until it is saved or discarded', async () => {
    await created(api, MAPS, map('kept'));
    const page = await visit(place('/v1/configmaps', 'team/kept'));
    await page.getByRole('button', { name: 'edit' }).click();
    const text = page.getByLabel('edit the object as YAML');
    await text.fill((await text.inputValue()).replace('red', 'green'));
    await page.getByRole('link', { name: 'Controllers', exact: true }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.goBack();
    await page.getByText('This is your unsaved edit.').waitFor();
    await page.reload();
    expect(await text.inputValue()).toContain('green');
    await page.getByRole('button', { name: 'discard the edit' }).click();
    await page.getByText('colour: red').waitFor();
  });

  it('removes unsaved edits at sign-out', async () => {
    await created(api, MAPS, map('private'));
    const page = await visit(place('/v1/configmaps', 'team/private'));
    await page.getByRole('button', { name: 'edit' }).click();
    await page.getByLabel('edit the object as YAML').fill('secret text');
    await page.getByRole('button', { name: 'sign out' }).click();
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('secret text');
  });

  it('warns if the object changed during an edit, and saves on the new version', async () => {
    await created(api, MAPS, map('shared'));
    const page = await visit(place('/v1/configmaps', 'team/shared'));
    await page.getByRole('button', { name: 'edit' }).click();
    const text = page.getByLabel('edit the object as YAML');
    await text.fill((await text.inputValue()).replace('red', 'green'));
    await api.call('PATCH', `${MAPS}/shared`, { body: { data: { size: 'large' } } });
    const warning = page.getByRole('alert').filter({ hasText: 'The object changed after you began to edit' });
    await warning
      .getByRole('region', { name: 'changes by others' })
      .getByText(/^\+ +size: large/)
      .waitFor();
    await page.getByRole('button', { name: 'review changes' }).click();
    await page.getByRole('button', { name: 'save' }).click();
    await page.getByText(/object has been modified/).waitFor();
    await page.getByRole('button', { name: 'continue on the new version' }).click();
    await page.getByRole('button', { name: 'save' }).click();
    await page.getByText('Saved.').waitFor();
    expect((await api.call('GET', `${MAPS}/shared`)).json).toMatchObject({ data: { colour: 'green' } });
  });

  it("shows the server's error as one readable sentence", async () => {
    await created(api, MAPS, map('invalid'));
    const page = await visit(place('/v1/configmaps', 'team/invalid'));
    await page.getByRole('button', { name: 'edit' }).click();
    const text = page.getByLabel('edit the object as YAML');
    await text.fill((await text.inputValue()).replace('colour:', '"a/b":'));
    await page.getByRole('button', { name: 'review changes' }).click();
    await page.getByRole('button', { name: 'save' }).click();
    const said = await page.getByRole('status').filter({ hasText: 'invalid' }).innerText();
    expect(said).toMatch(/^ConfigMap "invalid" is invalid: data\[a\/b\]: Invalid value/);
    expect(said).not.toContain('apiVersion');
  });

  it('deletes nothing at a double tap or a repeated Enter', async () => {
    await created(api, MAPS, map('precious'));
    const page = await visit(place('/v1/configmaps', 'team/precious'), PHONE);
    await page.getByRole('button', { name: 'delete' }).dblclick();
    await page.getByRole('heading', { name: 'Delete ConfigMap team/precious?' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'delete' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    // The second Enter keeps the object, or comes before the dialog opens.
    const closed = async (): Promise<number> => {
      await page.keyboard.press('Escape');
      return page.getByRole('dialog').count();
    };
    await expect.poll(closed).toBe(0);
    expect(await statusOf(api, `${MAPS}/precious`)()).toBe(200);
  });

  it('deletes with the chosen propagation, and names dependents and finalizers before', async () => {
    await created(api, MAPS, {
      ...map('owner'),
      metadata: { name: 'owner', finalizers: ['example.org/hold'] },
    });
    const uid = at((await api.call('GET', `${MAPS}/owner`)).json, 'metadata', 'uid');
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
    await created(api, MAPS, { metadata: { name: 'owned', ownerReferences } });
    const page = await visit(place('/v1/configmaps', 'team/owner'));
    await page.getByRole('button', { name: 'delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('ConfigMap team/owned').waitFor();
    await dialog.getByText(/remains until its finalizers .*: example.org\/hold/).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByText('Orphan').click();
    await dialog.getByRole('button', { name: 'delete team/owner for good' }).click();
    await page.getByText('Deletion requested.').waitFor();
    const ownersOfOwned = async (): Promise<unknown> =>
      at((await api.call('GET', `${MAPS}/owned`)).json, 'metadata', 'ownerReferences');
    await eventually(ownersOfOwned).toBeUndefined();
    await api.call('PATCH', `${MAPS}/owner`, { body: { metadata: { finalizers: null } } });
  });

  it('sorts by a column, filters by namespace, and groups resources', async () => {
    await created(api, '/api/v1/namespaces', { metadata: { name: 'other' } });
    for (const name of ['web-10', 'web-9', 'web-2']) await created(api, MAPS, map(name, { [name]: '' }));
    const page = await visit(place('/v1/configmaps'));
    await page.getByLabel('namespace').selectOption('team');
    await page.getByLabel('search objects').fill('web-');
    const names = (): Promise<readonly string[]> => page.getByRole('rowheader').allInnerTexts();
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await expect.poll(names).toEqual(['web-2', 'web-9', 'web-10']);
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await expect.poll(names).toEqual(['web-10', 'web-9', 'web-2']);
    await page.getByLabel('search objects').fill('web-9');
    await page.getByLabel('namespace').selectOption('');
    await expect.poll(names).toEqual(['web-9']);
    await page.getByRole('heading', { name: 'batch' }).waitFor();
    await page.getByRole('region', { name: 'batch' }).getByRole('link', { name: 'cronjobs' }).waitFor();
  });

  it('shows the newest Event first', async () => {
    const event = (name: string, lastTimestamp: string) => ({
      metadata: { name },
      involvedObject: { kind: 'ConfigMap', name: 'kept', namespace: 'team' },
      reason: name,
      message: name,
      type: 'Normal',
      lastTimestamp,
    });
    const at = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
    for (const [name, minutes] of [
      ['oldest', 200],
      ['newest', 2],
      ['middle', 30],
    ] as const)
      await created(api, '/api/v1/namespaces/team/events', event(name, at(minutes)));
    const page = await visit(place('/v1/events'));
    await page.getByLabel('namespace').selectOption('team');
    const reasons = async (): Promise<readonly string[]> =>
      (await page.getByRole('row').allInnerTexts()).flatMap(
        (row) => /oldest|newest|middle/.exec(row)?.[0] ?? [],
      );
    await expect.poll(reasons).toEqual(['newest', 'middle', 'oldest']);
  });

  it('links an object to its key at the garbage collector', async () => {
    await created(api, MAPS, map('base'));
    const uid = at((await api.call('GET', `${MAPS}/base`)).json, 'metadata', 'uid');
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'base', uid, blockOwnerDeletion: true };
    const metadata = { name: 'dependent', ownerReferences: [owner], finalizers: ['example.org/hold'] };
    await created(api, MAPS, { metadata });
    await api.call('DELETE', `${MAPS}/base`, { body: { propagationPolicy: 'Foreground' } });
    const page = await visit(place('/v1/configmaps', 'team/base'));
    await page.getByRole('link', { name: 'garbagecollector' }).click();
    await page.getByRole('heading', { name: 'configmaps.v1./team/base' }).waitFor();
    await api.call('PATCH', `${MAPS}/dependent`, { body: { metadata: { finalizers: null } } });
  });

  it('says that an unknown key may be mistyped, instead of that its object no longer exists', async () => {
    const page = await visit(`#/controllers/cronjob/keys/${encodeURIComponent('team/reprot')}`);
    await page.getByRole('status', { name: 'explanation' }).getByText('the name may be mistyped').waitFor();
  });

  it('announces an explanation once, not at each tick of its countdown', async () => {
    // No run starts in the test, and the countdown changes within 20 seconds.
    const due = new Date(Date.now() + 80_000);
    await created(api, '/apis/batch/v1/namespaces/team/cronjobs', {
      metadata: { name: 'ticking' },
      spec: {
        schedule: `${due.getUTCMinutes()} ${due.getUTCHours()} * * *`,
        jobTemplate: {
          spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } } },
        },
        suspend: false,
        startingDeadlineSeconds: 10,
      },
    });
    const page = await visit(`#/controllers/cronjob/keys/${encodeURIComponent('team/ticking')}`);
    const announced = page.getByRole('status', { name: 'explanation' });
    await announced.getByText('next reconcile in').waitFor();
    const shown = page.locator('p.explain');
    const [first, heard] = [await shown.innerText(), await announced.innerText()];
    await expect.poll(() => shown.innerText(), { timeout: 30_000 }).not.toBe(first);
    expect(await announced.innerText()).toBe(heard);
  });

  it('rejects an unknown token in the form, and says how to get the dashboard without one', async () => {
    const page = await signedIn(browser, url, '');
    onTestFinished(() => page.context().close());
    const advice = page.getByRole('status').filter({ hasText: 'Sign in to see this' });
    await advice.getByText('orch dashboard --kubeconfig FILE').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByRole('button', { name: 'sign in' }).click();
    await page.getByLabel('bearer token').fill('wrong');
    await page.getByRole('button', { name: 'sign in' }).click();
    await page.getByRole('alert').getByText('The server does not know this token.').waitFor();
    expect(await page.getByRole('button', { name: 'sign out' }).count()).toBe(0);
    expect(readyLine).toMatch(/orch dashboard --kubeconfig \S+admin\.conf/);
  });

  it('shows legible charts on a phone', async () => {
    const page = await visit('#/controllers/job', PHONE);
    const name = page.locator('.chart .name').first();
    await name.waitFor();
    const scale = await page.evaluate<number>(
      `(() => { const svg = document.querySelector('.chart-frame .chart'); return svg.clientWidth / svg.viewBox.baseVal.width; })()`,
    );
    expect(scale).toBeGreaterThan(0.69);
    const frame = await page.locator('.chart-frame').boundingBox();
    const tools = await page.getByRole('toolbar', { name: 'zoom' }).boundingBox();
    expect((tools?.y ?? 0) + (tools?.height ?? 0)).toBeLessThanOrEqual(frame?.y ?? 0);
  });

  it('folds healthy informers', async () => {
    const page = await visit('');
    const informers = page.getByRole('region', { name: 'Informers', exact: true });
    await informers.getByText(/^\d+ informers watch$/).click();
    await informers.getByRole('rowheader', { name: 'cronjobs.batch' }).waitFor();
  });
});
