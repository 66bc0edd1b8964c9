/**
 * Returns the first item of a YAML list as a single object; undefined for an empty list. The list must have
 * the layout in which the server writes YAML.
 */
export function firstItem(list: string): string | undefined {
  const lines = list.split('\n');
  const start = lines.findIndex((line) => line.startsWith('- '));
  if (start < 0) return undefined;
  const after = lines.findIndex((line, at) => at > start && !line.startsWith('  '));
  const item = lines.slice(start, after < 0 ? undefined : after).map((line) => line.slice(2));
  // Items of a list may lack apiVersion and kind, because the list has them.
  const given = new Set(item.map((line) => line.split(':')[0]));
  const head = lines
    .filter((line) => /^(apiVersion|kind): /.test(line) && !given.has(line.split(':')[0]))
    .map((line) => line.replace(/^(kind: .*)List$/, '$1'));
  return `${[...head, ...item].join('\n').trimEnd()}\n`;
}

/**
 * Removes `metadata.managedFields` from YAML in the layout of the server. They are often half of an object.
 */
export function withoutManagedFields(yaml: string): string {
  const lines = yaml.split('\n');
  const start = lines.indexOf('  managedFields:');
  if (start < 0) return yaml;
  const after = lines.findIndex(
    (line, at) => at > start && !line.startsWith('  - ') && !line.startsWith('   '),
  );
  return [...lines.slice(0, start), ...lines.slice(after < 0 ? lines.length : after)].join('\n');
}
