import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Returns the path of a built file of the dashboard; undefined if it was not built. Searches upwards, because the depth
 * of this code in the package depends on how it was bundled.
 */
export function builtPath(name: string, from: string = import.meta.dirname): string | undefined {
  const path = join(from, 'dist', 'dashboard', name);
  if (existsSync(path)) return path;
  const above = dirname(from);
  return above === from ? undefined : builtPath(name, above);
}
