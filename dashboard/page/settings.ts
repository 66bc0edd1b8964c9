import type { PageSettings } from '../model/page-settings.ts';
import { send, wait } from './access.ts';

export type { PageSettings };

const RETRY_MS = 2_000;

/**
 * Loads the settings, which need no sign-in. Retries until the request succeeds. `report` receives the error
 * of each failed attempt.
 */
export async function loadSettings(report: (problem: Error) => void): Promise<PageSettings> {
  for (;;) {
    try {
      const settings: PageSettings = await (await send('settings.json')).json();
      document.title = `${settings.product} dashboard`;
      return settings;
    } catch (thrown) {
      report(thrown instanceof Error ? thrown : new Error(String(thrown)));
      await wait(RETRY_MS);
    }
  }
}
