import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Path of what the build made for the dashboard; found from wherever in the package this code was bundled to. */
export function builtPath(name: string, from: string = import.meta.dirname): string | undefined {
  const path = join(from, 'dist', 'dashboard', name);
  if (existsSync(path)) return path;
  const above = dirname(from);
  return above === from ? undefined : builtPath(name, above);
}
