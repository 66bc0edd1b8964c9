/** A test result in the form that other programs read. */
export interface Check {
  /** Subject of the check: the name of a controller. */
  readonly group: string;
  /** Unique name of the check: the id of an invariant, or the name of a mutant. */
  readonly name: string;
  /** Description of the expected property in one sentence. */
  readonly says: string;
  /** Result. `untested` means that the premise was never reached, `unknown` that a bound was reached. */
  readonly outcome: 'passed' | 'failed' | 'untested' | 'unknown';
  /** Description of the violation, and how to reproduce it. */
  readonly message?: string;
}

const escaped = (text: string): string =>
  text
    // Replaces characters that XML 1.0 (section 2.2) does not allow.
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
  untested: 'its premise never occurred',
  unknown: 'a bound was reached',
};

/** Renders the checks as JUnit XML in the format of Ant's JUnit task, which build servers read. */
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

/** Renders the checks as SARIF 2.1.0 (OASIS). Each check is a rule with one result. */
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
