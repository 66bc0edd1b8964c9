import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createWorkbench, ROOT } from '../e2e/process.ts';
import { LONG } from '../long.ts';
import { recordNotRun, service } from '../services.ts';
import { type ScriptedClient, isMissing } from './scripted.ts';

const python: ScriptedClient = {
  suite: 'orch chaos proxy --run with an operator in Python',
  program: '/usr/bin/python3',
  probe: ['-c', 'import kubernetes'],
  script: '',
  packedIn: 'python3-kubernetes',
};
const kubectl = service('kubectl', 'orch chaos proxy --run with a shell loop');
const LIBFAKETIME = process.env['LIBFAKETIME'] ?? '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';
const LIMIT_MS = 300_000;

const examples = join(ROOT, 'examples', 'other-languages');
const bench = createWorkbench();
afterAll(() => bench.close());
const folder = bench.folder();
const at = (name: string): string => join(folder, name);

interface Report {
  readonly verdict: string;
  readonly findings: readonly { readonly rule: string; readonly key: string }[];
  readonly minimalPlan: string;
  readonly runs: readonly { readonly plan: string; readonly injected: number }[];
}

/** Judges a command with a plan. Returns the exit code and the report. */
async function judge(
  flags: readonly string[],
  command: readonly string[],
): Promise<{ readonly code: number | null; readonly report: Report; readonly output: string }> {
  const program = bench.orch(
    [
      'chaos',
      'proxy',
      '--vocabulary',
      'kubernetes',
      '--manifests',
      join(examples, 'pages.yaml'),
      '--within',
      '1s',
      '--report',
      at('report.json'),
      '--run-log',
      at('run.log'),
      ...flags,
      ...command,
    ],
    { cwd: folder },
  );
  const { code } = await program.exit(LIMIT_MS);
  const output = `${program.stdout}${program.stderr}`;
  if (!existsSync(at('report.json'))) throw new Error(output);
  return { code, report: JSON.parse(readFileSync(at('report.json'), 'utf8')) as Report, output };
}

const operator = (file: string): readonly string[] => ['--', python.program, join(examples, file)];

describe.skipIf(!LONG || isMissing(python))('a judged operator in Python', () => {
  it(
    'fails if it ignores removals that its watch missed',
    async () => {
      const { code, report } = await judge(
        ['--plan', 'unobserved-delete', '--minimal', at('minimal.yaml')],
        operator('page_operator_buggy.py'),
      );
      expect(report.findings).toContainEqual(
        expect.objectContaining({ rule: 'end-state', key: 'configmaps default/shop-page' }),
      );
      expect([code, report.verdict]).toEqual([1, 'FAIL']);
      expect(readFileSync(at('minimal.yaml'), 'utf8')).toContain('name: expired-watch');
    },
    LIMIT_MS,
  );

  it(
    'fails if its late delete affects an object that was recreated under the same name',
    async () => {
      const { code, report } = await judge(['--plan', 'late-write'], operator('page_operator_buggy.py'));
      expect(report.findings.map(({ rule }) => rule)).toContain('unread-incarnation');
      expect(code).toBe(1);
    },
    LIMIT_MS,
  );

  it.each(['unobserved-delete', 'late-write', 'crash-between'])(
    'passes %s if it deletes under preconditions and re-reads all objects',
    async (plan) => {
      const { code, report } = await judge(['--plan', plan], operator('page_operator.py'));
      expect(report.findings).toEqual([]);
      expect(code).toBe(0);
      expect(report.runs.at(-1)?.injected).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );

  it(
    'is judged by the rules of a file',
    async () => {
      const rule = {
        name: 'no-page-of-the-blog',
        match: { verb: 'create', resource: 'configmaps' },
        require: [{ path: '$.after.metadata.name', is: 'differs', value: 'blog-page' }],
      };
      writeFileSync(at('rules.json'), JSON.stringify({ rules: [rule] }));
      const { code, report, output } = await judge(
        ['--rules', at('rules.json')],
        operator('page_operator.py'),
      );
      expect(report.findings[0]).toMatchObject({ rule: 'user/no-page-of-the-blog' });
      expect(code).toBe(1);
      expect(output).not.toMatch(/token/);
    },
    LIMIT_MS,
  );
});

describe.skipIf(!LONG || kubectl.missing)('a judged shell loop with kubectl', () => {
  it.each([
    ['fails if it treats a failed list as an empty one', 'page_loop_buggy.sh', 1],
    ['passes if it stops at a failed list', 'page_loop.sh', 0],
  ])(
    '%s',
    async (_, file, expected) => {
      const { code, report } = await judge(
        ['--plan', 'failed-reads', '--settle', '3s'],
        ['--run', join(examples, file)],
      );
      expect(report.findings.map(({ rule }) => rule)).toEqual(
        expected === 0 ? [] : expect.arrayContaining(['stale-decision']),
      );
      expect(code).toBe(expected);
    },
    LIMIT_MS,
  );
});

const hasFaketime = existsSync(LIBFAKETIME);
if (LONG && !hasFaketime)
  recordNotRun('orch chaos proxy --clock-offset', 'libfaketime was not found (apt-get install libfaketime)');

describe('the clock of a judged command', () => {
  it.skipIf(!hasFaketime)(
    'is off by --clock-offset',
    async () => {
      await judge(
        ['--clock-offset', '48h', '--libfaketime', LIBFAKETIME],
        ['--run', `date +now=%s; exec ${join(examples, 'page_loop.sh')}`],
      );
      const seconds = Number(/now=(\d+)/.exec(readFileSync(at('run.log'), 'utf8'))?.[1]);
      expect(seconds * 1_000 - Date.now()).toBeGreaterThan(47 * 3_600_000);
    },
    LIMIT_MS,
  );

  it('is rejected with the name of the missing library', async () => {
    const program = bench.orch(
      [
        'chaos',
        'proxy',
        '--manifests',
        join(examples, 'pages.yaml'),
        '--clock-offset',
        '1h',
        '--libfaketime',
        at('none.so'),
        '--run',
        'true',
      ],
      { cwd: folder },
    );
    expect((await program.exit()).code).not.toBe(0);
    expect(program.stderr).toMatch(/--clock-offset needs libfaketime, which .*none\.so is not: install it/);
  });
});
