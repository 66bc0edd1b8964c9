/**
 * Returns the first item of a YAML list as a single object, or undefined for an empty list. The list must
 * have the server's layout.
 */
export function firstItem(list: string): string | undefined {
  const lines = list.split('\n');
  const start = lines.findIndex((line) => line.startsWith('- '));
  if (start < 0) return undefined;
  const after = lines.findIndex((line, at) => at > start && !line.startsWith('  '));
  const item = lines.slice(start, after < 0 ? undefined : after).map((line) => line.slice(2));
  // The items of a list may omit apiVersion and kind, which the list has.
  const given = new Set(item.map((line) => line.split(':')[0]));
  const head = lines
    .filter((line) => /^(apiVersion|kind): /.test(line) && !given.has(line.split(':')[0]))
    .map((line) => line.replace(/^(kind: .*)List$/, '$1'));
  return `${[...head, ...item].join('\n').trimEnd()}\n`;
}

/** Removes `metadata.managedFields`, often half of an object's text, from YAML in the server's layout. */
export function withoutManagedFields(yaml: string): string {
  const lines = yaml.split('\n');
  const start = lines.indexOf('  managedFields:');
  if (start < 0) return yaml;
  const after = lines.findIndex(
    (line, at) => at > start && !line.startsWith('  - ') && !line.startsWith('   '),
  );
  return [...lines.slice(0, start), ...lines.slice(after < 0 ? lines.length : after)].join('\n');
}
