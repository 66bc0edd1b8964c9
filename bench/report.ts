import type { Figure, Scale } from './row.ts';

/** Machine on which figures were measured, without its identity. */
export interface MachineClass {
  readonly cores: number;
  /** Memory in GiB, rounded. */
  readonly memoryGiB: number;
  /** Operating system and architecture, such as `linux x64`. */
  readonly platform: string;
  /** Average number of runnable processes in the minute before the first row. */
  readonly load: number;
}

/** Content of a report. */
export interface Measurement {
  readonly scale: Scale;
  readonly machine: MachineClass;
  /** Versions by name of the program, such as `Node.js`. */
  readonly versions: Readonly<Record<string, string>>;
  /** Date of the run, such as `2026-01-31`. */
  readonly date: string;
  /** Arguments of the run. */
  readonly command: string;
  readonly figures: readonly Figure[];
  readonly failures: readonly { readonly row: string; readonly error: string }[];
}

/** Load average per processor above which wall-clock figures are unreliable. */
export const BUSY = 0.5;

const number = (value: number): string => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3));

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const figureCells = ({ name, unit, ours, ceiling, ratio, target, ok }: Figure): readonly string[] => [
  name,
  `${number(ours)} ${unit}`,
  ceiling === undefined ? '' : `${number(ceiling)} ${unit}`,
  ratio?.toFixed(2) ?? '',
  target,
  ok ? 'yes' : 'no',
];

/** Returns the reasons not to quote a figure of this run. */
function caveats({ scale, machine: { load } }: Measurement): readonly string[] {
  return [
    ...(scale === 'quick' ? ['This run used `--quick`. It shows that every row runs; do not quote it.'] : []),
    ...(load > BUSY ? [`The machine was busy (load ${load.toFixed(2)}). Only the ratios are reliable.`] : []),
  ];
}

/** Returns the Markdown page of one run, which is not yet formatted. */
export function reportOf(measurement: Measurement): string {
  const { machine, versions, date, command, figures, failures } = measurement;
  const { cores, memoryGiB, platform, load } = machine;
  const failed = failures.map(({ row, error }) => [row, error.replace(/\s+/g, ' ').replaceAll('|', '\\|')]);
  return `${[
    '# Benchmarks',
    '<!-- Written by `npm run bench -- --report FILE`. Do not edit. -->',
    `Each figure is measured next to a ceiling in the same run. [How a row is measured](explanation/performance.md#how-a-row-is-measured) explains the rows.`,
    ...caveats(measurement),
    table(
      ['run', 'value'],
      [
        ['command', `\`${command}\``],
        ['date', date],
        ['machine', `${cores} cores, ${memoryGiB} GiB, ${platform}`],
        ['load before the run', load.toFixed(2)],
        ...Object.entries(versions),
      ],
    ),
    table(['row', 'measured', 'ceiling', 'ratio', 'target', 'met'], figures.map(figureCells)),
    ...(failed.length > 0 ? ['Rows without figures:', table(['row', 'error'], failed)] : []),
  ].join('\n\n')}\n`;
}
