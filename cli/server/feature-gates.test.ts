import { describe, expect, it } from 'vitest';
import { featureGatesFlag } from './feature-gates.ts';
import { controllerManagerFlags, upFlags } from '../flags/flag-tables.ts';
import { type FlagTable, UsageError, list, parseFlags, text } from '../flags/flags.ts';
import { describeFlags } from '../help/flag-help.ts';

const table = {
  'feature-gates': featureGatesFlag(),
  'runtime-config': list([], 'APIs'),
  name: text('', 'a name'),
};
const on = (...argv: string[]) =>
  parseFlags(table, argv)
    ['feature-gates'].states.filter(({ stage, enabled }) => stage === 'alpha' && enabled)
    .map(({ name }) => name);

/** Joins the lines of a paragraph. */
const inOneLine = (text: string): string => text.replace(/\s+/g, ' ');

describe('--feature-gates', () => {
  it('switches features in one flag or in several', () => {
    expect(on()).toEqual([]);
    expect(on('--feature-gates=CronJobTimeZone=true,HPAScaleToZero=true')).toEqual([
      'CronJobTimeZone',
      'HPAScaleToZero',
    ]);
    expect(on('--feature-gates', 'CronJobTimeZone=true', '--feature-gates', 'HPAScaleToZero=true')).toEqual([
      'CronJobTimeZone',
      'HPAScaleToZero',
    ]);
  });

  it.each([
    ['Nope=true', /invalid value "Nope=true" for --feature-gates: unrecognized feature gate: Nope/],
    ['TokenRequest=true', /it was removed in release 1\.22/],
    ['ServerSideApply=false', /feature is locked to true/],
  ])('rejects the gates %s', (given, message) => {
    expect(() => parseFlags(table, ['--feature-gates', given])).toThrow(UsageError);
    expect(() => parseFlags(table, ['--feature-gates', given])).toThrow(message);
  });

  it('describes each gate that can be switched', () => {
    expect(inOneLine(describeFlags(table))).toContain('CronJobTimeZone=true|false (ALPHA - default=false)');
    expect(describeFlags(table)).not.toContain('ServerSideApply');
  });
});

describe('repeated flags', () => {
  it('join lists, and use the last value of any other flag', () => {
    const flags = parseFlags(table, ['--runtime-config=a', '--name=x', '--runtime-config=b,c', '--name=y']);
    expect(flags['runtime-config']).toEqual(['a', 'b', 'c']);
    expect(flags.name).toBe('y');
  });
});

describe('defaults printed by --help', () => {
  it('are accepted as values with the same meaning', () => {
    const tables: FlagTable = { ...upFlags, ...controllerManagerFlags };
    const printed = describeFlags(tables)
      .split(/^(?= {2}--)/m)
      .flatMap((each) => [...inOneLine(each).matchAll(/^ --(\S+) .* \(default (.*)\) ?$/g)]);
    expect(printed.length).toBeGreaterThan(20);
    for (const [, name = '', value = ''] of printed)
      expect([name, String(tables[name]?.parse(value))]).toEqual([name, String(tables[name]?.fallback)]);
    expect(printed.map(([, ...pair]) => pair)).toContainEqual([
      'authentication-token-webhook-cache-ttl',
      '2m',
    ]);
  });
});
