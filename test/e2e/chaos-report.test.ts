import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type ChaosReport, renderReport } from '../../chaos/report/index.ts';
import { service } from '../services.ts';
import { launchBrowser, seriousFindings } from './browser.ts';
import { createWorkbench } from './process.ts';

const suite = 'the page of a chaos report';
const chromium = service('chromium', suite);
const SEEDS = 2_000;
const LONG =
  'orch chaos run --module ./controllers/a-controller-with-a-long-name.chaos.js --controllers one,two';

const failureOf = (seed: number): ChaosReport['failures'][number] => ({
  seed,
  verdict: 'FAIL',
  tallies: [],
  struck: [],
  steps: 900,
  commits: 9,
  hash: '0',
  failure: {
    id: `job/property-${seed % 7}`,
    broken: `${'team-with-a-long-name/'.repeat(6)}${seed}`,
    step: 90 + seed,
  },
});

const matrix = {
  columns: Array.from({ length: 12 }, (_, at) => `fault-${at}`),
  rows: Array.from({ length: 8 }, (_, at) => ({
    name: `controller-${at} observing`,
    cells: Array(12).fill(at),
  })),
};

const report: ChaosReport = {
  version: 1,
  made: { program: 'orch 0.1.0 (API v1.24.17)', atMs: Date.parse('2026-11-28T16:00:00Z') },
  verdict: 'FAIL',
  seeds: SEEDS,
  passed: 0,
  hours: 9,
  steps: 1_234_567,
  commits: 10,
  invariants: Array.from({ length: 60 }, (_, at) => ({
    id: `job/property-${at}`,
    says: 'each Job has as many pods as it asks for, whatever happens',
    checked: 9,
    reached: at % 3,
    broken: at < 7 ? 9 : 0,
  })),
  faults: [{ name: 'conflict', struck: 3, places: 2 }],
  coverage: {},
  failures: Array.from({ length: SEEDS }, (_, seed) => failureOf(seed)),
  unknown: [],
  hash: 'abc',
  seconds: 12.34,
  command: LONG,
  platform: { node: '20.1.0', icu: '78.2', tzdata: '2025c' },
  commands: Array.from({ length: 7 }, (_, seed) => [seed, `${LONG} --seed ${seed}`] as const),
  smallest: [],
  survey: {
    controllers: [{ controller: 'job', states: [{ state: 'observing', seen: 3 }], transitions: [] }],
    lifecycles: [],
    faultsByState: matrix,
    faultsByRequest: matrix,
    faultsByWatch: { columns: [], rows: [] },
    curve: [{ seeds: 9, seen: 9 }],
  },
  told: {
    seed: 3,
    story: {
      verdict: 'FAIL',
      steps: 9,
      hash: 'abc',
      failure: { id: 'job/property-3', says: 'once', broken: 'twice', step: 9, atMs: 100 },
      beliefs: [{ process: 'manager-1', object: 'batch/jobs team/a', believed: 'absent', true: 'uid 1' }],
      wrongIndexes: [],
      omitted: 2,
      lines: [1, 2, 3].flatMap((at) => [
        {
          step: at,
          atMs: at * 10,
          lane: 'store',
          by: 'job',
          node: `manager-${at}`,
          text: `job create jobs team/a (uid 1, revision ${at})`,
          revision: String(at),
          arrivals: [{ step: at, atMs: at * 10 + 5, process: 'manager-1' }],
        },
        {
          step: at,
          atMs: at * 10 + 7,
          lane: 'fault',
          text: 'crash at manager-1',
          fault: { name: 'crash' as const, where: 'manager-1' },
        },
      ]),
      left: ['20.000 s: user create jobs team/a'],
      minimal: true,
    },
  },
};

describe.skipIf(chromium.missing)(suite, () => {
  const bench = createWorkbench();
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    const file = join(bench.folder(), 'report.html');
    writeFileSync(file, renderReport(report));
    url = pathToFileURL(file).href;
    browser = await launchBrowser(chromium.path ?? '');
  });
  afterAll(async () => {
    await browser?.close();
    await bench.close();
  });

  async function opened(width: number, colorScheme: 'light' | 'dark'): Promise<Page> {
    const context = await browser.newContext({
      viewport: { width, height: 900 },
      colorScheme,
      javaScriptEnabled: true,
    });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(url);
    return page;
  }

  it('is smaller than 1 MB with 2,000 failed seeds', () => {
    expect(Buffer.byteLength(renderReport(report))).toBeLessThan(1_000_000);
  });

  it('opens with the verdict, the causes with one command each, and the trace', async () => {
    const page = await opened(1440, 'light');
    const headings = await page.locator('h1, h2').allTextContents();
    expect(headings.slice(0, 3)).toEqual(['FAILChaos report', '7 causes', 'Minimal trace of seed 3']);
    await expect(page.locator('.cause pre').allTextContents()).resolves.toHaveLength(7);
    expect(await page.locator('time').getAttribute('datetime')).toBe('2026-11-28T16:00:00.000Z');
  });

  it('keeps the header of a table in sight while its box scrolls', async () => {
    const page = await opened(390, 'light');
    await page.getByText('60 invariants, 7 broken').click();
    const box = page.getByRole('region', { name: '60 invariants' });
    const header = box.locator('th').first();
    const top = (await header.boundingBox())?.y;
    await box.evaluate((element) => element.scrollBy(0, 400));
    expect((await header.boundingBox())?.y).toBeCloseTo(top ?? 0, 0);
  });

  it.each([
    [390, 'light'],
    [390, 'dark'],
    [1440, 'light'],
    [1440, 'dark'],
  ] as const)('fits into %i pixels and has no serious finding of axe-core, %s', async (width, scheme) => {
    const page = await opened(width, scheme);
    for (const each of await page.locator('details').all())
      await each.evaluate((one) => one.setAttribute('open', ''));
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    expect(await seriousFindings(page)).toEqual([]);
  });
});
