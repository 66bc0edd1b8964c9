import type { PageSettings } from '../model/page-settings.ts';

export type { PageSettings };

/** What the server says of itself to anyone. */
export async function loadSettings(): Promise<PageSettings> {
  const response = await fetch('settings.json');
  const settings: PageSettings = await response.json();
  document.title = `${settings.product} dashboard`;
  return settings;
}
