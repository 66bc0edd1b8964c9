type Theme = 'light' | 'dark';

const KEY = 'theme';

const chosen = (): Theme | undefined => {
  const value = localStorage.getItem(KEY);
  return value === 'light' || value === 'dark' ? value : undefined;
};

const system = (): Theme => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');

/** The theme shown now: the one chosen, else the system's. */
export const currentTheme = (): Theme => chosen() ?? system();

export function applyTheme(): void {
  const theme = chosen();
  if (theme === undefined) delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

/** Chooses the other theme; the choice is kept until it is the system's again. */
export function toggleTheme(): Theme {
  const next: Theme = currentTheme() === 'dark' ? 'light' : 'dark';
  if (next === system()) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, next);
  applyTheme();
  return next;
}
