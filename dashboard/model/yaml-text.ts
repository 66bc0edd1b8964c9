/** The first item of a list in YAML as the server writes it, as if it had been read by itself; undefined of an empty one. */
export function firstItem(list: string): string | undefined {
  const lines = list.split('\n');
  const start = lines.findIndex((line) => line.startsWith('- '));
  if (start < 0) return undefined;
  const after = lines.findIndex((line, at) => at > start && !line.startsWith('  '));
  const item = lines.slice(start, after < 0 ? undefined : after).map((line) => line.slice(2));
  // A list names the kind once, its items need not.
  const given = new Set(item.map((line) => line.split(':')[0]));
  const head = lines
    .filter((line) => /^(apiVersion|kind): /.test(line) && !given.has(line.split(':')[0]))
    .map((line) => line.replace(/^(kind: .*)List$/, '$1'));
  return `${[...head, ...item].join('\n').trimEnd()}\n`;
}

/** An object in YAML without `metadata.managedFields`, which is half of many objects and of no use to most readers. */
export function withoutManagedFields(yaml: string): string {
  const lines = yaml.split('\n');
  const start = lines.indexOf('  managedFields:');
  if (start < 0) return yaml;
  const after = lines.findIndex(
    (line, at) => at > start && !line.startsWith('  - ') && !line.startsWith('   '),
  );
  return [...lines.slice(0, start), ...lines.slice(after < 0 ? lines.length : after)].join('\n');
}
