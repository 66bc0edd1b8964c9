import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Matrix } from '../coverage/survey.ts';
import { causesOf } from './campaign-text.ts';
import { markup } from './markup.ts';
import { renderReport } from './page.ts';
import { type ChaosReport, smallestFailures } from './report.ts';
import { lanesOf } from './story-html.ts';
import { renderCurve, renderMatrix } from './survey-html.ts';
import { describeCampaign, describeStory, inCourses } from './terminal.ts';

const passed: ChaosReport = {
  version: 1,
  verdict: 'PASS',
  seeds: 2_000,
  passed: 2_000,
  hours: 2_000,
  steps: 1_234_567,
  commits: 10,
  invariants: [{ id: 'cronjob/no-duplicate-run', says: 'never twice', checked: 10, reached: 4, broken: 0 }],
  faults: [{ name: 'conflict', struck: 3, places: 2 }],
  coverage: {},
  failures: [],
  unknown: [],
  hash: 'abc',
  seconds: 12.34,
  command: 'chaos run',
  platform: { node: '20.1.0', icu: '78.2', tzdata: '2025c' },
  smallest: [],
};

const failed = (text: string): ChaosReport => ({
  ...passed,
  verdict: 'FAIL',
  command: text,
  invariants: [{ id: text, says: text, checked: 1, reached: 0, broken: 1 }],
  smallest: [{ invariant: text, seed: 3, step: 9, command: text }],
  unknown: [
    { seed: 4, verdict: 'UNKNOWN', reason: text, tallies: [], struck: [], steps: 1, commits: 1, hash: '0' },
  ],
  survey: {
    controllers: [
      {
        controller: text,
        states: [{ state: text, seen: 0 }],
        transitions: [{ from: text, on: text, to: text, seen: 0 }],
      },
    ],
    lifecycles: [
      {
        lifecycle: text,
        noun: text,
        transitions: [{ from: text, to: text, reason: text, by: text, seen: 0 }],
      },
    ],
    faultsByState: { columns: [text], rows: [{ name: text, cells: [0] }] },
    faultsByRequest: { columns: [], rows: [] },
    faultsByWatch: { columns: [], rows: [] },
    curve: [],
  },
  told: {
    seed: 3,
    story: {
      verdict: 'FAIL',
      steps: 9,
      hash: 'abc',
      failure: { id: text, says: text, broken: text, step: 9, atMs: 1 },
      beliefs: [{ process: text, object: text, believed: text, true: text }],
      wrongIndexes: [`index of ${text}`],
      omitted: 2,
      lines: [{ step: 9, atMs: 1, lane: text, text }],
      left: [text],
      minimal: true,
    },
  },
});

describe('the page of a report', () => {
  it('shows the verdict, its figures, the platform and the command to repeat it', () => {
    const page = renderReport({ ...passed, command: 'chaos run --seeds 2000' });
    expect(page).toContain('<span class="verdict PASS">PASS</span>');
    for (const each of ['1 234 567', '12.3 s', '20.1.0', '78.2', '2025c', 'chaos run --seeds 2000'])
      expect(page).toContain(each);
  });

  it('highlights an invariant whose premise was never reached', () => {
    const [tally] = passed.invariants;
    const page = renderReport({ ...passed, invariants: tally ? [{ ...tally, reached: 0 }] : [] });
    expect(page).toContain('<td class="n bad">0</td>');
    expect(renderReport(passed)).not.toContain('class="n bad"');
  });

  it('shows the shrunk trace, beliefs and facts, and the necessary parts', () => {
    const page = renderReport(failed('x'));
    expect(page).toContain('Minimal trace of seed 3');
    expect(page).toContain('without any one of these it passes');
    expect(page).toContain('<tr class="broke">');
    expect(page).toContain('never in x');
    expect(page).toContain('<li>index of x</li>');
    expect(page).toContain('(2 more changes and reconciles of these objects omitted');
  });

  it('contains no scripts and no references to other files', () => {
    expect(renderReport(failed('x'))).not.toMatch(/<script|<link|<img|https?:|url\(|@import/);
  });

  it('escapes all values', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[<>&"'a-z ]{1,12}$/), (noise) => {
        const text = `<i x="'">${noise}`;
        const page = renderReport(failed(text));
        expect(page).not.toContain('<i ');
        expect(page.split('&lt;i x=&quot;&#39;&quot;&gt;').length).toBeGreaterThan(20);
      }),
    );
  });
});

describe('markup', () => {
  it('escapes strings, leaves markup unchanged and omits missing values', () => {
    expect(markup`<a title="${'"'}">${'<'}${markup`<b>`}${undefined}${false}${[1, '&']}</a>`.text).toBe(
      '<a title="&quot;">&lt;<b>1&amp;</a>',
    );
  });
});

describe('a matrix', () => {
  it('distinguishes missing combinations from impossible ones and lists the missing ones', () => {
    const matrix: Matrix = {
      columns: ['conflict', 'zombie'],
      rows: [
        { name: 'creating', cells: [7, 0] },
        { name: 'observing', cells: [null, 1] },
      ],
    };
    const { text } = renderMatrix('Faults', matrix);
    expect(text).toContain('Faults: 2 of 3 (66 %)');
    expect(text).toContain('<td class="hole" title="never occurred">0</td>');
    expect(text).toContain('<td class="none" title="does not apply">·</td>');
    expect(text).toContain('<li>zombie × creating</li>');
    expect(text).not.toContain('conflict × observing');
  });
});

describe('a curve', () => {
  it('rises to the last count at the last seed', () => {
    const { text } = renderCurve([
      { seeds: 1, seen: 10 },
      { seeds: 4, seen: 20 },
    ]);
    expect(text).toContain('d="M44.0 176.0H210.0V96.0H708.0V16.0"');
    expect(renderCurve([]).text).toBe('');
  });
});

describe('swim lanes', () => {
  it('show each change at its author and its revision at the API server, with one row for each step', () => {
    const { lanes, rows } = lanesOf([
      {
        step: 1,
        atMs: 5,
        lane: 'store',
        text: 'user create jobs a (uid 1, revision 7)',
        by: 'user',
        revision: '7',
      },
      { step: 1, atMs: 5, lane: 'queue', text: 'job a' },
      { step: 2, atMs: 6, lane: 'fault', text: 'crash: job' },
      { step: 2, atMs: 6, lane: 'job', text: 'a in observing' },
    ]);
    expect(lanes).toEqual(['fault', 'user', 'API server', 'queue', 'job']);
    expect(rows).toEqual([
      { step: 1, atMs: 5, fault: false, cells: [[], ['create jobs a'], ['revision 7'], ['job a'], []] },
      { step: 2, atMs: 6, fault: true, cells: [['crash: job'], [], [], [], ['a in observing']] },
    ]);
  });
});

describe('a story in lines', () => {
  const state = (atMs: number, process: string, said: string, text = `a in ${said}`) => ({
    step: 1,
    atMs,
    lane: 'job',
    process,
    text,
    course: { reconcile: `${process} job-1`, said },
  });

  it('joins consecutive states of one reconcile at one moment', () => {
    const wrote = { step: 2, atMs: 5, lane: 'store', text: 'job update jobs/status a' };
    const told = inCourses([
      state(5, 'one', 'observing'),
      state(5, 'one', 'deciding'),
      state(5, 'one', 'recording'),
      wrote,
      state(5, 'one', 'waiting'),
      state(5, 'one', 'requeue', 'a requeue'),
      state(6, 'one', 'observing'),
      state(6, 'other', 'observing'),
    ]);
    expect(told.map(({ text }) => text)).toEqual([
      'a in observing → deciding → recording',
      'job update jobs/status a',
      'a in waiting → requeue',
      'a in observing',
      'a in observing',
    ]);
  });

  it('names the process of a line if there are several', () => {
    const lines = [state(5, 'one', 'observing'), state(5, 'other', 'observing')];
    const story = {
      verdict: 'PASS',
      steps: 1,
      hash: 'abc',
      beliefs: [],
      wrongIndexes: [],
      omitted: 0,
      lines,
      left: [],
      minimal: false,
    } as const;
    expect(describeStory({ ...story, journal: [] })).toContain(
      'job                  other: a in observing\n',
    );
    expect(lanesOf(lines).rows[0]?.cells).toEqual([['one: a in observing', 'other: a in observing']]);
  });
});

describe('the smallest failures', () => {
  const failure = (seed: number, invariant: string, step: number): ChaosReport['failures'][number] => ({
    seed,
    verdict: 'FAIL',
    tallies: [],
    struck: [],
    steps: step,
    commits: 0,
    hash: '0',
    failure: { id: invariant, broken: 'something', step },
  });

  it('are the shortest run of each invariant, in ascending order of length', () => {
    const all = [failure(1, 'a/N1', 50), failure(2, 'b/N1', 9), failure(3, 'a/N1', 20)];
    expect(smallestFailures(all, (seed) => `run ${seed}`)).toEqual([
      { invariant: 'b/N1', seed: 2, step: 9, command: 'run 2' },
      { invariant: 'a/N1', seed: 3, step: 20, command: 'run 3' },
    ]);
  });
});

describe('the text of a campaign', () => {
  const failures = [1, 2, 3].map((seed) => ({
    seed,
    verdict: 'FAIL' as const,
    tallies: [],
    struck: [],
    steps: 90,
    commits: 0,
    hash: '0',
    failure: { id: seed === 3 ? 'b/rare' : 'a/often', broken: 'something', step: 50 - seed },
  }));
  const failing: ChaosReport = { ...passed, verdict: 'FAIL', failures };
  const commandOf = (seed: number): string => `run --seed ${seed}`;

  it('ends with the verdict, below one replay command for each cause', () => {
    const text = describeCampaign(failing, 1, { commandOf });
    expect(text.trimEnd().split('\n').at(-2)).toMatch(/^FAIL  2000 seeds/);
    expect(text.match(/replay: .*/g)).toEqual(['replay:   run --seed 2', 'replay:   run --seed 3']);
    expect(text).toContain('a/often is broken (2 seeds)\n  shortest: seed 2 at step 48: something');
  });

  it('groups runs that did not finish by reason, whatever their figures', () => {
    const run = {
      ...failures[0],
      verdict: 'UNKNOWN' as const,
      tallies: [],
      struck: [],
      steps: 9,
      commits: 0,
      hash: '0',
    };
    const unknown = [7, 8].map((seed) => ({ ...run, seed, reason: `more than ${seed} steps` }));
    expect(causesOf({ failures: [], unknown })).toMatchObject([{ seeds: [7, 8], shortest: { seed: 7 } }]);
  });

  it('has colours only if asked', () => {
    expect(describeCampaign(failing, 1, { colour: true })).toContain('\u001B[1;31mFAIL\u001B[0m');
    expect(describeCampaign(failing, 1)).not.toContain('\u001B');
  });

  it('explains VACUOUS in its last line', () => {
    const [tally] = passed.invariants;
    const invariants = tally ? [tally, { ...tally, reached: 0 }] : [];
    const text = describeCampaign({ ...passed, verdict: 'VACUOUS', invariants }, 1);
    expect(text.trimEnd().split('\n').at(-1)).toMatch(/^1 of 2 invariants not tested: /);
  });
});
