import type { PageSettings } from '../model/page-settings.ts';
import { ask, wait } from './access.ts';

export type { PageSettings };

const AGAIN_MS = 2_000;

/** What the server says of itself to anyone. Until it does, `tell` hears why not, each time it is asked again. */
export async function loadSettings(tell: (problem: Error) => void): Promise<PageSettings> {
  for (;;) {
    try {
      const settings: PageSettings = await (await ask('settings.json')).json();
      document.title = `${settings.product} dashboard`;
      return settings;
    } catch (thrown) {
      tell(thrown instanceof Error ? thrown : new Error(String(thrown)));
      await wait(AGAIN_MS);
    }
  }
}
