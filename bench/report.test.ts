import { describe, expect, it } from 'vitest';
import { type Measurement, reportOf } from './report.ts';

const figure = {
  name: 'get',
  unit: '1/s',
  ours: 1234.5,
  ceiling: 2469,
  ratio: 0.5,
  target: 'at least 0.6 of it',
};
const measurement: Measurement = {
  scale: 'full',
  machine: { cores: 2, memoryGiB: 8, platform: 'linux x64', load: 0.1 },
  versions: { 'Node.js': '24.0.0' },
  date: '2026-01-31',
  command: 'npm run bench',
  figures: [
    { ...figure, ok: false },
    { ...figure, name: 'idle', unit: 'MB', ours: 12.345, ceiling: undefined, ratio: undefined, ok: true },
  ],
  failures: [],
};

describe('reportOf', () => {
  it('states command, date, machine class and versions', () => {
    const page = reportOf(measurement);
    for (const cells of [
      '| command | `npm run bench` |',
      '| date | 2026-01-31 |',
      '| machine | 2 cores, 8 GiB, linux x64 |',
      '| Node.js | 24.0.0 |',
    ])
      expect(page).toContain(cells);
  });

  it('has a line for each figure, with empty cells for figures without a ceiling', () => {
    const page = reportOf(measurement);
    expect(page).toContain('| get | 1235 1/s | 2469 1/s | 0.50 | at least 0.6 of it | no |');
    expect(page).toContain('| idle | 12.3 MB |  |  | at least 0.6 of it | yes |');
  });

  it('warns only of a quick run and of a busy machine', () => {
    expect(reportOf(measurement)).not.toMatch(/quick|busy|without figures/);
    expect(reportOf({ ...measurement, scale: 'quick' })).toContain('do not quote it');
    expect(reportOf({ ...measurement, machine: { ...measurement.machine, load: 3 } })).toContain(
      '(load 3.00)',
    );
  });

  it('lists failed rows on one line each', () => {
    const page = reportOf({ ...measurement, failures: [{ row: 'watch', error: 'a | b\nc' }] });
    expect(page).toContain('| watch | a \\| b c |');
  });
});
