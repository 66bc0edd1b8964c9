import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createCertificateRequest, generateKeyPair, noAlternativeNames } from '../../base/pki/index.ts';
import { service } from '../services.ts';
import { type Api, at, createApi } from './api.ts';
import { launchBrowser, seriousFindings, signedIn } from './browser.ts';
import { created, eventually } from './cluster.ts';
import { createWorkbench } from './process.ts';

const suite = 'acts in the dashboard';
const chromium = service('chromium', suite);
const READY = /^ready (\S+) — .* dashboard (\S+)$/m;
const BATCH = '/apis/batch/v1/namespaces/team';
const MAPS = '/api/v1/namespaces/team/configmaps';
const REQUESTS = '/apis/certificates.orch.io/v1/certificatesigningrequests';
const RBAC = '/apis/rbac.authorization.orch.io/v1';
const DENIED = 'You have no right to';
const CERTIFICATES = 'certificates.orch.io/v1/certificatesigningrequests';

const objectPlace = (resource: string, object: string): string =>
  `#/explorer/${encodeURIComponent(resource)}/${encodeURIComponent(object)}`;
const keyPlace = (controller: string, key: string): string =>
  `#/controllers/${controller}/keys/${encodeURIComponent(key)}`;
const template = {
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } } },
};
const cronJob = (name: string) => ({
  metadata: { name },
  spec: { schedule: '0 0 1 1 *', jobTemplate: { metadata: { labels: { app: 'report' } }, ...template } },
});

describe.skipIf(chromium.missing)(suite, () => {
  const bench = createWorkbench();
  let browser: Browser;
  let api: Api;
  let url: string;
  let auditLog: string;

  beforeAll(async () => {
    const folder = bench.folder();
    const tokens = join(folder, 'tokens.csv');
    writeFileSync(tokens, 'admintoken,admin,1,"system:masters"\nreadertoken,reader,2\n');
    const data = join(folder, 'data');
    auditLog = join(folder, 'audit.log');
    const policy = join(folder, 'policy.yaml');
    writeFileSync(policy, 'apiVersion: audit.orch.io/v1\nkind: Policy\nrules:\n  - level: Metadata\n');
    const audit = ['--audit-log-path', auditLog, '--audit-policy-file', policy];
    const flags = ['--secure-port', '0', '--token-auth-file', tokens, ...audit];
    const program = bench.orch(['up', '--data-dir', data, ...flags]);
    [, , url = ''] = await program.output(READY);
    api = createApi(join(data, 'admin.conf'));
    await created(api, '/api/v1/namespaces', { metadata: { name: 'team' } });
    await created(api, `${RBAC}/clusterroles`, {
      metadata: { name: 'reader' },
      rules: [
        { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] },
        { nonResourceURLs: ['/journal/v1', '/journal/v1/*'], verbs: ['get'] },
      ],
    });
    await created(api, `${RBAC}/clusterrolebindings`, {
      metadata: { name: 'reader' },
      roleRef: { apiGroup: 'rbac.authorization.orch.io', kind: 'ClusterRole', name: 'reader' },
      subjects: [{ apiGroup: 'rbac.authorization.orch.io', kind: 'User', name: 'reader' }],
    });
    browser = await launchBrowser(chromium.path ?? '');
  });
  afterAll(async () => {
    await browser?.close();
    await api?.close();
    await bench.close();
  });

  async function visit(where: string, token = 'admintoken', size = {}): Promise<Page> {
    const page = await signedIn(browser, url + where, token, size);
    onTestFinished(() => page.context().close());
    return page;
  }
  const act = (page: Page, name: string) =>
    page.getByRole('region', { name: 'Act', exact: true }).getByRole('button', { name, exact: true });
  const result = (page: Page) => page.getByRole('status', { name: 'result of the act' });

  it('suspends and resumes a CronJob', async () => {
    await created(api, `${BATCH}/cronjobs`, cronJob('nightly'));
    const page = await visit(objectPlace('batch/v1/cronjobs', 'team/nightly'));
    await act(page, 'suspend').click();
    await result(page).getByText('The CronJob is suspended.').waitFor();
    const suspended = async (): Promise<unknown> =>
      at((await api.call('GET', `${BATCH}/cronjobs/nightly`)).json, 'spec', 'suspend');
    expect(await suspended()).toBe(true);
    await act(page, 'resume').click();
    await act(page, 'suspend').waitFor();
    expect(await suspended()).toBe(false);
  });

  it('creates a Job from a CronJob, owned by it and marked as manual', async () => {
    await created(api, `${BATCH}/cronjobs`, cronJob('report'));
    const page = await visit(keyPlace('cronjob', 'team/report'));
    await act(page, 'run now').click();
    await result(page).getByText('A Job is created.').waitFor();
    const { json } = await api.call('GET', `${BATCH}/jobs?labelSelector=app=report`);
    expect(json).toMatchObject({
      items: [
        {
          metadata: {
            name: expect.stringMatching(/^report-manual-[a-z0-9]{5}$/),
            annotations: { 'cronjob.orch.io/instantiate': 'manual' },
            ownerReferences: [{ kind: 'CronJob', name: 'report', controller: true }],
          },
        },
      ],
    });
  });

  it('approves a certificate request after it displays its content', async () => {
    const names = { ...noAlternativeNames, dnsNames: ['web.test'] };
    const subject = { commonName: 'alice', organizations: ['developers'] };
    const pem = createCertificateRequest(generateKeyPair('ec-p256'), subject, names);
    await created(api, REQUESTS, {
      metadata: { name: 'alice' },
      spec: {
        request: Buffer.from(pem).toString('base64'),
        signerName: 'example.test/client',
        usages: ['client auth'],
      },
    });
    const page = await visit(objectPlace(CERTIFICATES, 'alice'));
    await act(page, 'approve').click();
    const dialog = page.getByRole('dialog', { name: 'approve: alice' });
    for (const text of [
      'alice',
      'developers',
      'DNS web.test',
      /^EC, curve/,
      'client auth',
      'example.test/client',
    ])
      await dialog
        .locator('dd')
        .getByText(text, { exact: typeof text === 'string' })
        .waitFor();
    await dialog.getByRole('button', { name: 'approve' }).click();
    await result(page).getByText('The request is approved.').waitFor();
    expect((await api.call('GET', `${REQUESTS}/alice`)).json).toMatchObject({
      status: { conditions: [{ type: 'Approved', status: 'True', reason: 'DashboardApproved' }] },
    });
    await act(page, 'approve').waitFor({ state: 'detached' });
  });

  it('removes one finalizer after a warning, and not at a double tap', async () => {
    const finalizers = ['example.org/first', 'example.org/second'];
    await created(api, MAPS, { metadata: { name: 'held', finalizers } });
    const page = await visit(objectPlace('/v1/configmaps', 'team/held'));
    await act(page, 'remove example.org/first').dblclick();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('that clean-up may never happen').waitFor();
    expect((await api.call('GET', `${MAPS}/held`)).json).toMatchObject({ metadata: { finalizers } });
    await dialog.getByRole('button', { name: 'remove example.org/first' }).click();
    await result(page).getByText('is removed').waitFor();
    expect((await api.call('GET', `${MAPS}/held`)).json).toMatchObject({
      metadata: { finalizers: ['example.org/second'] },
    });
    await api.call('PATCH', `${MAPS}/held`, { body: { metadata: { finalizers: null } } });
  });

  it('reconciles a key now, and records who asked in its history and in the audit log', async () => {
    await created(api, `${BATCH}/cronjobs`, cronJob('asked'));
    const page = await visit(keyPlace('cronjob', 'team/asked'));
    await act(page, 'reconcile now').click();
    await result(page).getByText('team/asked is enqueued in cronjob.').waitFor();
    await page.getByText('requested by admin').waitFor();
    const events = (): string => readFileSync(auditLog, 'utf8');
    await eventually(async () =>
      events()
        .split('\n')
        .some((line) => line.includes('/journal/v1/reconcile') && line.includes('"username":"admin"')),
    ).toBe(true);
  });

  it('greys each act that the user has no right to, with the reason as its description', async () => {
    await created(api, `${BATCH}/cronjobs`, {
      ...cronJob('locked'),
      metadata: { name: 'locked', finalizers: ['example.org/hold'] },
    });
    const page = await visit(objectPlace('batch/v1/cronjobs', 'team/locked'), 'readertoken');
    const labels = ['run now', 'suspend', 'reconcile now', 'remove example.org/hold'];
    for (const label of labels) {
      const button = act(page, label);
      await button.waitFor();
      await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true');
      const description = page.locator(`[id="${await button.getAttribute('aria-describedby')}"]`);
      await expect.poll(() => description.innerText()).toContain(DENIED);
      // A disabled button is not actionable for the test driver, so the event is sent directly.
      await button.dispatchEvent('click');
    }
    const read = (await api.call('GET', `${BATCH}/cronjobs/locked`)).json;
    expect(at(read, 'spec', 'suspend')).toBe(false);
    await api.call('PATCH', `${BATCH}/cronjobs/locked`, { body: { metadata: { finalizers: null } } });
  });

  it('refuses a reconcile of a reader on the server too', async () => {
    const page = await visit('', 'readertoken');
    const status = await page.evaluate<number>(
      `fetch('/journal/v1/reconcile?controller=cronjob&key=team/report', { method: 'POST', headers: { authorization: 'Bearer readertoken' } }).then(({ status }) => status)`,
    );
    expect(status).toBe(403);
  });

  it('displays the Events of an object, newest first, and sorts them by any column', async () => {
    await created(api, MAPS, { metadata: { name: 'noisy' } });
    const event = (name: string, minutes: number, of = 'noisy') => ({
      metadata: { name },
      involvedObject: { kind: 'ConfigMap', name: of, namespace: 'team' },
      reason: name,
      message: `about ${name}`,
      type: 'Normal',
      lastTimestamp: new Date(Date.now() - minutes * 60_000).toISOString(),
    });
    for (const each of [event('beta', 20), event('alpha', 30), event('gamma', 2), event('other', 1, 'quiet')])
      await created(api, '/api/v1/namespaces/team/events', each);
    const page = await visit(objectPlace('/v1/configmaps', 'team/noisy'));
    const events = page.getByRole('region', { name: /^Events/ }).last();
    const reasons = (): Promise<readonly string[]> => events.locator('tbody td:nth-child(3)').allInnerTexts();
    await expect.poll(reasons).toEqual(['gamma', 'beta', 'alpha']);
    await events.getByRole('button', { name: 'reason' }).click();
    await expect.poll(reasons).toEqual(['alpha', 'beta', 'gamma']);
    await created(api, '/api/v1/namespaces/team/events', event('zeta', 0));
    await expect.poll(reasons, { timeout: 10_000 }).toEqual(['alpha', 'beta', 'gamma', 'zeta']);
  });

  it('draws owners, dependents and blockers with links and legible text on a phone', async () => {
    await created(api, MAPS, { metadata: { name: 'root' } });
    const uid = at((await api.call('GET', `${MAPS}/root`)).json, 'metadata', 'uid');
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'root', uid, blockOwnerDeletion: true };
    const metadata = { name: 'middle', ownerReferences: [owner], finalizers: ['example.org/hold'] };
    const middle = await created(api, MAPS, { metadata });
    await created(api, MAPS, {
      metadata: {
        name: 'leaf',
        ownerReferences: [
          { ...owner, name: 'middle', uid: at(middle, 'metadata', 'uid'), blockOwnerDeletion: false },
        ],
      },
    });
    const page = await visit(objectPlace('/v1/configmaps', 'team/middle'), 'admintoken', {
      width: 390,
      height: 844,
    });
    const graph = page.getByRole('region', { name: 'Owners, dependents and blockers' });
    await graph
      .getByRole('list', { name: 'owners' })
      .getByRole('link', { name: 'owner ConfigMap root' })
      .waitFor();
    await graph.getByText('waits for this object').waitFor();
    await graph.getByRole('list', { name: 'blockers' }).getByText('example.org/hold').waitFor();
    await graph.getByRole('link', { name: 'owns ConfigMap team/leaf' }).waitFor();
    const smallest = await page.evaluate<number>(
      `Math.min(...[...document.querySelectorAll('.graph *')].map((each) => parseFloat(getComputedStyle(each).fontSize)))`,
    );
    expect(smallest).toBeGreaterThanOrEqual(10);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await api.call('PATCH', `${MAPS}/middle`, { body: { metadata: { finalizers: null } } });
  });

  it.each([
    [390, 'light'],
    [390, 'dark'],
    [1440, 'light'],
    [1440, 'dark'],
  ] as const)('has no serious finding at %i px in the %s theme', async (width, colorScheme) => {
    for (const where of [
      objectPlace('batch/v1/cronjobs', 'team/nightly'),
      keyPlace('cronjob', 'team/nightly'),
    ]) {
      const page = await visit(where, 'admintoken', { width, height: 900, colorScheme });
      await act(page, 'suspend').waitFor();
      await page
        .getByRole('region', { name: 'Owners, dependents and blockers' })
        .getByText(/among \d+ resources/)
        .waitFor();
      expect(await seriousFindings(page)).toEqual([]);
    }
  });
});
