import type { Figure } from './row.ts';

const WIDTHS = [36, 18, 18, 9, 22, 5] as const;

const cells = (values: readonly string[]): string =>
  values
    .map((value, at) =>
      at === 0 || at > 3 ? value.padEnd(WIDTHS[at] ?? 0) : value.padStart(WIDTHS[at] ?? 0),
    )
    .join('  ')
    .trimEnd();

const number = (value: number): string => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3));

export const heading = cells(['what', 'ours', 'ceiling', 'ratio', 'target', 'ok']);

export const line = ({ name, unit, ours, ceiling, ratio, target, ok }: Figure): string =>
  cells([
    name,
    `${number(ours)} ${unit}`,
    ceiling === undefined ? '' : `${number(ceiling)} ${unit}`,
    ratio === undefined ? '' : ratio.toFixed(2),
    target,
    ok ? 'yes' : 'NO',
  ]);
