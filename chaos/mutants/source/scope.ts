/** Directories whose sources are mutated. */
export const MUTATED_FOLDERS = [
  'base/cron',
  'controllers',
  'machines',
  'runtime/client',
  'runtime/controller',
  'runtime/informer',
  'runtime/queue',
] as const;

/** True if the file is in a mutated directory. */
export const isMutated = (file: string): boolean =>
  MUTATED_FOLDERS.some((folder) => file.startsWith(`${folder}/`));

/**
 * Returns a predicate for paths. `*` matches within one directory, `**` matches any number of directories.
 */
export function matching(glob: string): (file: string) => boolean {
  const pattern = glob
    .split(/(\*\*\/|\*\*|\*)/)
    .map((part) => PATTERNS.get(part) ?? part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .join('');
  const whole = new RegExp(`^${pattern}$`);
  return (file) => whole.test(file);
}

const PATTERNS: ReadonlyMap<string, string> = new Map([
  ['**/', '(?:.*/)?'],
  ['**', '.*'],
  ['*', '[^/]*'],
]);
