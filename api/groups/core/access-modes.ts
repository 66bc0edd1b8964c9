const SHORT = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
] as const;

/** Formats access modes for a Table, such as `RWO,ROX`. */
export const accessModesText = (modes: readonly string[] | undefined): string =>
  SHORT.filter(([mode]) => (modes ?? []).includes(mode))
    .map(([, short]) => short)
    .join(',');
