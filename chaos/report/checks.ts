/** Something that was put to the test, as other programs gather it. */
export interface Check {
  /** What it is about: a controller. */
  readonly group: string;
  /** Unique: the identifier of an invariant, the name of a mutant. */
  readonly name: string;
  /** What holds, in one sentence. */
  readonly says: string;
  /** `untested`: its premise never came up. `unknown`: a bound was hit. */
  readonly outcome: 'passed' | 'failed' | 'untested' | 'unknown';
  /** What was found, and how to see it again. */
  readonly message?: string;
}

const escaped = (text: string): string =>
  text
    // What XML 1.0 cannot hold, section 2.2.
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD]/g, '\uFFFD')
    .replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);

const outcomes: Readonly<Record<Check['outcome'], (message: string) => string>> = {
  passed: () => '',
  failed: (message) => `<failure message="${escaped(message)}"/>`,
  untested: (message) => `<skipped message="${escaped(message)}"/>`,
  unknown: (message) => `<error message="${escaped(message)}"/>`,
};

const usual: Readonly<Record<Check['outcome'], string>> = {
  passed: 'it holds',
  failed: 'it does not hold',
  untested: 'its premise never came up',
  unknown: 'a bound was hit',
};

/** As the XML that build servers read test results from, in the form that JUnit's task for Ant writes. */
export function renderJunit(name: string, checks: readonly Check[]): string {
  const count = (outcome: Check['outcome']): number =>
    checks.filter((check) => check.outcome === outcome).length;
  const cases = checks.map(
    ({ group, name: each, says, outcome, message = usual[outcome] }) =>
      `  <testcase classname="${escaped(group)}" name="${escaped(`${each}: ${says}`)}">${outcomes[outcome](message)}</testcase>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="${escaped(name)}" tests="${checks.length}" failures="${count('failed')}" errors="${count('unknown')}" skipped="${count('untested')}">\n${cases.join('')}</testsuite>\n`;
}

const levels = {
  passed: { kind: 'pass', level: 'none' },
  failed: { kind: 'fail', level: 'error' },
  untested: { kind: 'open', level: 'none' },
  unknown: { kind: 'open', level: 'none' },
} as const;

/** As SARIF 2.1.0 (OASIS), the form of results of analyses: each check a rule, and a result of its kind. */
export const renderSarif = (checks: readonly Check[]): string =>
  `${JSON.stringify(
    {
      $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
      version: '2.1.0',
      runs: [
        {
          tool: {
            driver: {
              name: 'chaos',
              rules: checks.map(({ name, says }) => ({ id: name, shortDescription: { text: says } })),
            },
          },
          results: checks.map(({ group, name, outcome, message }, ruleIndex) => ({
            ruleId: name,
            ruleIndex,
            ...levels[outcome],
            message: { text: message ?? usual[outcome] },
            locations: [{ logicalLocations: [{ name: group, kind: 'module' }] }],
          })),
        },
      ],
    },
    null,
    2,
  )}\n`;
