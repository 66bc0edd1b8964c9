import { expect, it } from 'vitest';
import { describe as describeObject } from './describe.ts';
import { createTestTerminal } from './terminal.fixture.ts';

async function described(spec: object, annotations?: object): Promise<string> {
  const { terminal, printed } = createTestTerminal(async ({ path }) => {
    expect(path).toBe('/apis/batch/v1/namespaces/team/cronjobs/report');
    return { metadata: { name: 'report', namespace: 'team', uid: 'u1', annotations }, spec };
  });
  await describeObject(terminal, ['cronjob', 'report'], { namespace: '' });
  return printed();
}

it('describe prints the next five runs of a CronJob in its dialect', async () => {
  const text = await described(
    { schedule: '30 0 9 LW * *', timeZone: 'Etc/UTC' },
    { 'batch.orch.io/schedule-dialect': 'extended' },
  );
  expect(text).toContain('Schedule Dialect:    extended\n');
  expect(text.slice(text.indexOf('Next Runs'))).toBe(
    [
      'Next Runs:           2026-01-30T09:00:30Z',
      '                     2026-02-27T09:00:30Z',
      '                     2026-03-31T09:00:30Z',
      '                     2026-04-30T09:00:30Z',
      '                     2026-05-29T09:00:30Z\n',
    ].join('\n'),
  );
});

it('describe prints no run of a suspended CronJob, and the reason why a schedule is invalid', async () => {
  expect(await described({ schedule: '* * * * *', suspend: true })).toContain(
    'Next Runs:           <none>\n',
  );
  expect(await described({ schedule: '0 0 L * *' })).toContain('<invalid: failed to parse int from L');
});
