const SHORT = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
] as const;

/** Access modes as Tables show them: `RWO,ROX`. */
export const accessModesText = (modes: readonly string[] | undefined): string =>
  SHORT.filter(([mode]) => (modes ?? []).includes(mode))
    .map(([, short]) => short)
    .join(',');
