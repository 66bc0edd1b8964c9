import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type Page, chromium } from 'playwright-core';

/** A browser that asks nobody but the page it is shown. */
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
  /** What axe-core cannot decide alone. */
  readonly incomplete: readonly AxeFinding[];
}

/**
 * What axe-core finds on a page that is serious or worse, one line each. A name where none is allowed is a violation
 * only while the element is empty, and undecided after: it counts at any time, or it would show on slow machines alone.
 */
export async function seriousFindings(page: Page): Promise<readonly string[]> {
  // Evaluated by the debugger: the page's content security policy lets no script in.
  await page.evaluate(axe);
  const { violations, incomplete } = await page.evaluate<AxeResult>('axe.run()');
  return [...violations, ...incomplete.filter(({ id }) => id === 'aria-prohibited-attr')]
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}

/** Opens the dashboard as the holder of a token; '' for nobody. */
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
