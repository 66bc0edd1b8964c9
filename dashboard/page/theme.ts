type Theme = 'light' | 'dark';

const KEY = 'theme';

const chosen = (): Theme | undefined => {
  const value = localStorage.getItem(KEY);
  return value === 'light' || value === 'dark' ? value : undefined;
};

const system = (): Theme => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');

/** Returns the theme that the user chose, or else the theme of the system. */
export const currentTheme = (): Theme => chosen() ?? system();

/** Applies the theme that the user chose to the document. */
export function applyTheme(): void {
  const theme = chosen();
  if (theme === undefined) delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

/**
 * Switches the theme. If the new theme is that of the system, deletes the user's choice, so that the page
 * follows the system again.
 */
export function toggleTheme(): Theme {
  const next: Theme = currentTheme() === 'dark' ? 'light' : 'dark';
  if (next === system()) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, next);
  applyTheme();
  return next;
}
