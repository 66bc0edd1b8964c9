import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type Page, chromium } from 'playwright-core';

/** Launches a browser that makes no requests except for the page. */
export const launchBrowser = (executablePath: string): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeFinding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

interface AxeResult {
  readonly violations: readonly AxeFinding[];
  /** Findings that axe-core cannot decide automatically. */
  readonly incomplete: readonly AxeFinding[];
}

/**
 * Returns the serious and critical findings of axe-core on a page, one line each. A prohibited name is a
 * violation only while the element is empty; afterwards it is undecided. Both cases are returned, because
 * otherwise only slow machines would report them.
 */
export async function seriousFindings(page: Page): Promise<readonly string[]> {
  // The debugger evaluates the script, because the page's content security policy allows no other script.
  await page.evaluate(axe);
  const { violations, incomplete } = await page.evaluate<AxeResult>('axe.run()');
  return [...violations, ...incomplete.filter(({ id }) => id === 'aria-prohibited-attr')]
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}

/** Opens the dashboard with a token; '' opens the dashboard without signing in. */
export async function signedIn(
  browser: Browser,
  url: string,
  token: string,
  options: {
    readonly colorScheme?: 'light' | 'dark';
    readonly width?: number;
    readonly height?: number;
  } = {},
): Promise<Page> {
  const { colorScheme = 'light', width = 1440, height = 1000 } = options;
  const context = await browser.newContext({
    ignoreHTTPSErrors: true,
    colorScheme,
    viewport: { width, height },
    acceptDownloads: true,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  await page.goto(url);
  if (token === '') return page;
  await page.getByRole('button', { name: 'sign in' }).click();
  await page.getByLabel('bearer token').fill(token);
  await page.getByRole('button', { name: 'sign in' }).click();
  await page.getByRole('button', { name: 'sign out' }).waitFor();
  return page;
}
