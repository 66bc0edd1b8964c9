import { describe, expect, it } from 'vitest';
import { type Check, renderJunit, renderSarif } from './checks.ts';

const checks: readonly Check[] = [
  { group: 'cronjob', name: 'cronjob/no-duplicate-run', says: 'one Job a due time', outcome: 'passed' },
  {
    group: 'cronjob',
    name: 'cronjob/forbid-runs-alone',
    says: 'no two at once',
    outcome: 'failed',
    message: 'two "<a>" & b\u0000',
  },
  { group: 'queue', name: 'queue/no-forgotten-key', says: 'nothing forgotten', outcome: 'untested' },
  { group: 'runs', name: 'seed-7', says: 'finishes', outcome: 'unknown' },
];

describe('checks for other programs', () => {
  it('are JUnit test cases with escaped strings', () => {
    const xml = renderJunit('orch chaos run', checks);
    expect(xml).toContain('<testsuite name="orch chaos run" tests="4" failures="1" errors="1" skipped="1">');
    expect(xml).toContain(
      '<testcase classname="cronjob" name="cronjob/no-duplicate-run: one Job a due time"></testcase>',
    );
    expect(xml).toContain('<failure message="two &#34;&#60;a&#62;&#34; &#38; b\uFFFD"/>');
    expect(xml).toContain('<skipped message="its premise never occurred"/>');
    expect(xml).toContain('<error message="a bound was reached"/>');
  });

  it('are SARIF rules and results, which differ by kind', () => {
    const { version, runs } = JSON.parse(renderSarif(checks)) as {
      version: string;
      runs: { tool: { driver: { rules: { id: string }[] } }; results: Record<string, unknown>[] }[];
    };
    expect(version).toBe('2.1.0');
    expect(runs[0]?.tool.driver.rules.map(({ id }) => id)).toEqual(checks.map(({ name }) => name));
    expect(runs[0]?.results.map(({ kind, level }) => [kind, level])).toEqual([
      ['pass', 'none'],
      ['fail', 'error'],
      ['open', 'none'],
      ['open', 'none'],
    ]);
    expect(runs[0]?.results[1]).toMatchObject({
      ruleId: 'cronjob/forbid-runs-alone',
      message: { text: 'two "<a>" & b\u0000' },
    });
  });
});
