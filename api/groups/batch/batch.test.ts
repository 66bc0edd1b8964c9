import { describe, expect, it } from 'vitest';
import type { Job } from '../../types/batch-v1.ts';
import { cronJobs, jobs } from '../batch-v1.ts';
import { created, everyFeature, row, texts, updated } from '../fixture.ts';

const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i:1' }] } };
const job = (spec: object = {}) => ({
  metadata: { name: 'j', namespace: 'd', resourceVersion: '1' },
  spec: { template, ...spec },
});
const cronJob = (spec: object = {}, name = 'cj') => ({
  metadata: { name, namespace: 'd' },
  spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template } }, ...spec },
});

describe('a new Job', () => {
  const { object, errors } = created(jobs, job());

  it('runs one pod to completion in up to seven attempts', () => {
    expect(errors).toEqual([]);
    expect(object.spec).toMatchObject({
      parallelism: 1,
      completions: 1,
      backoffLimit: 6,
      completionMode: 'NonIndexed',
      suspend: false,
    });
  });

  it('selects its pods by its uid', () => {
    const labels = { 'controller-uid': 'uid-1', 'job-name': 'j' };
    expect(object.spec?.selector).toEqual({ matchLabels: { 'controller-uid': 'uid-1' } });
    expect(object.spec?.template.metadata?.labels).toEqual(labels);
    expect(object.metadata?.labels).toEqual(labels);
  });

  it('has the labels of its pods if its author sets none', () => {
    const labelled = job({ template: { ...template, metadata: { labels: { a: 'b' } } } });
    const labels = { a: 'b', 'controller-uid': 'uid-1', 'job-name': 'j' };
    expect(created(jobs, labelled).object.metadata?.labels).toEqual(labels);
    const own = { ...labelled, metadata: { ...labelled.metadata, labels: { a: 'b' } } };
    const made = created(jobs, own).object;
    expect(made.metadata?.labels).toEqual({ a: 'b' });
    expect(made.spec?.template.metadata?.labels).toEqual(labels);
  });

  it('is rejected if its author sets the generated labels', () => {
    const chosen = { ...template, metadata: { labels: { 'controller-uid': 'x' } } };
    expect(texts(created(jobs, job({ template: chosen })).errors)).toContain(
      `spec.template.metadata.labels[controller-uid]: Invalid value: map[string]string{"controller-uid":"x", "job-name":"j"}: must be 'uid-1'`,
    );
  });

  it('has no default completions if it has parallelism', () => {
    expect(created(jobs, job({ parallelism: 3 })).object.spec?.completions).toBeUndefined();
  });

  it.each<[string, object, string[]]>([
    [
      'pods that always restart',
      job({ template: { spec: { containers: [{ name: 'c', image: 'i' }] } } }),
      ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    ],
    [
      'a missing manual selector',
      job({ manualSelector: true }),
      [
        'spec.selector: Required value',
        'spec.template.metadata.labels: Invalid value: map[string]string(nil): `selector` does not match template `labels`',
      ],
    ],
    [
      'the completion mode Indexed and no completions',
      job({ parallelism: 1, completionMode: 'Indexed' }),
      ['spec.completions: Required value: when completion mode is Indexed'],
    ],
    [
      'negative counts',
      job({ backoffLimit: -1 }),
      ['spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0'],
    ],
  ])('is rejected with %s', (_what, body, expected) => {
    expect(texts(created(jobs, body).errors)).toEqual(expected);
  });
});

describe('an update of a Job', () => {
  const { object } = created(jobs, job());
  const errors = (from: Job, change: (draft: Job) => void) => texts(updated(jobs, from, change).errors);
  const pickNode = ({ spec }: Job): void => {
    if (spec?.template.spec) spec.template.spec.nodeSelector = { disk: 'ssd' };
  };

  it('may change parallelism, suspension and deadlines', () => {
    expect(
      errors(
        object,
        ({ spec }) => spec && Object.assign(spec, { parallelism: 5, suspend: true, backoffLimit: 1 }),
      ),
    ).toEqual([]);
  });

  it('may not change completions, selector or template', () => {
    expect(errors(object, ({ spec }) => spec && (spec.completions = 5))).toEqual([
      'spec.completions: Invalid value: 5: field is immutable',
    ]);
    expect(errors(object, pickNode)).toEqual([
      expect.stringMatching(/^spec\.template: .*: field is immutable$/),
    ]);
  });

  it('may change scheduling fields while the Job is suspended before its first start', () => {
    const suspended = created(jobs, job({ suspend: true })).object;
    expect(errors(suspended, pickNode)).toEqual([]);
    const started = { ...suspended, status: { startTime: '2024-01-01T00:00:00Z' } };
    expect(errors(started, pickNode)).toHaveLength(1);
  });
});

describe('a status update of a Job', () => {
  it('restores the labels of its pods if it omits labels', () => {
    const { object: before } = created(jobs, {
      ...job(),
      metadata: { ...job().metadata, labels: { own: 'l' } },
    });
    const { object, errors } = updated(
      jobs,
      before,
      (draft) => {
        delete draft.metadata?.labels;
        delete draft.spec;
      },
      'status',
    );
    expect(errors).toEqual([]);
    expect(object.metadata?.labels).toEqual({ 'controller-uid': 'uid-1', 'job-name': 'j' });
    expect(object.metadata?.labels).not.toBe(object.spec?.template.metadata?.labels);
  });
});

describe('the row of a Job', () => {
  it('shows completions and duration', () => {
    const status = {
      succeeded: 1,
      startTime: '2024-01-01T00:00:00Z',
      completionTime: '2024-01-01T00:03:20Z',
    };
    expect(row(jobs, { ...created(jobs, job()).object, status })).toMatchObject({
      Completions: '1/1',
      Duration: '3m20s',
      Images: 'i:1',
      Selector: 'controller-uid=uid-1',
    });
  });
});

describe('a CronJob', () => {
  it('has every default, and no defaults in its Job template', () => {
    const { object, errors } = created(cronJobs, cronJob());
    expect(errors).toEqual([]);
    expect(object.spec).toMatchObject({
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    });
    expect(object.spec?.jobTemplate.spec?.backoffLimit).toBeUndefined();
  });

  it.each<[string, object, string]>([
    ['no schedule', cronJob({ schedule: '' }), 'spec.schedule: Required value'],
    [
      'a schedule of four fields',
      cronJob({ schedule: '* * * *' }),
      'spec.schedule: Invalid value: "* * * *": expected exactly 5 fields, found 4: [* * * *]',
    ],
    [
      'an unknown time zone',
      cronJob({ timeZone: 'Mars/Base' }),
      'spec.timeZone: Invalid value: "Mars/Base": unknown time zone Mars/Base',
    ],
    [
      'the time zone Local',
      cronJob({ timeZone: 'Local' }),
      'spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
    ],
    [
      'a time zone in the field and in the schedule',
      cronJob({ schedule: 'TZ=UTC 0 0 * * *', timeZone: 'UTC' }),
      'spec.schedule: Invalid value: "TZ=UTC 0 0 * * *": cannot use both timeZone field and TZ or CRON_TZ in schedule',
    ],
    [
      'an unknown concurrency policy',
      cronJob({ concurrencyPolicy: 'Maybe' }),
      'spec.concurrencyPolicy: Unsupported value: "Maybe": supported values: "Allow", "Forbid", "Replace"',
    ],
    [
      'a negative history limit',
      cronJob({ failedJobsHistoryLimit: -1 }),
      'spec.failedJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'a manual selector in its template',
      cronJob({ jobTemplate: { spec: { template, manualSelector: true } } }),
      'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
    ],
    [
      'a name of 53 characters',
      cronJob({}, 'a'.repeat(53)),
      `metadata.name: Invalid value: "${'a'.repeat(53)}": must be no more than 52 characters`,
    ],
  ])('is rejected with %s', (_what, body, error) => {
    expect(texts(created(cronJobs, body, everyFeature).errors)).toEqual([error]);
  });

  it('has a time zone only if the feature is enabled or the stored object has one', () => {
    const zoned = cronJob({ timeZone: 'Europe/Paris' });
    expect(created(cronJobs, zoned).object.spec?.timeZone).toBeUndefined();
    const { object } = created(cronJobs, zoned, everyFeature);
    expect(object.spec?.timeZone).toBe('Europe/Paris');
    const setZone = (timeZone: string) => (draft: typeof object) => {
      if (draft.spec) draft.spec.timeZone = timeZone;
    };
    expect(updated(cronJobs, object, setZone('Asia/Tokyo')).object.spec?.timeZone).toBe('Asia/Tokyo');
    const { object: without } = created(cronJobs, cronJob());
    expect(updated(cronJobs, without, setZone('Asia/Tokyo')).object.spec?.timeZone).toBeUndefined();
  });

  it.each([
    ['L and W', '0 0 L,15W * *', undefined, []],
    ['seconds', '*/10 * * * * *', 'Europe/Berlin', []],
    ['H without a uid', 'H H * * FRI#2', undefined, []],
    ['five fields', '@daily', undefined, []],
    [
      'a 32nd day',
      '0 0 32W * *',
      undefined,
      [/^spec\.schedule: Invalid value: "0 0 32W \* \*": invalid day of month "32W": .*accepted are .*LW/],
    ],
    ['seven fields', '* * * * * * *', undefined, [/expected 5 or 6 fields, found 7/]],
    ['two zones', 'TZ=UTC 0 0 L * *', 'UTC', [/use the time zone field/, /cannot use both timeZone field/]],
  ] as const)('accepts in the extended dialect a schedule with %s', (_what, schedule, timeZone, expected) => {
    const body = { ...cronJob({ schedule, ...(timeZone && { timeZone }) }) };
    const metadata = { ...body.metadata, annotations: { 'batch.orch.io/schedule-dialect': 'extended' } };
    const found = texts(created(cronJobs, { ...body, metadata }, everyFeature).errors);
    expect(found).toHaveLength(expected.length);
    for (const [at, pattern] of expected.entries()) expect(found[at]).toMatch(pattern);
  });

  it('rejects an unknown dialect, and L in the standard dialect', () => {
    const body = cronJob({ schedule: '0 0 * * *' });
    const annotated = (dialect: string) => ({
      ...body,
      metadata: { ...body.metadata, annotations: { 'batch.orch.io/schedule-dialect': dialect } },
    });
    expect(texts(created(cronJobs, annotated('quartz')).errors)).toEqual([
      'metadata.annotations[batch.orch.io/schedule-dialect]: Unsupported value: "quartz": supported values: "standard", "extended"',
    ]);
    expect(texts(created(cronJobs, annotated('standard')).errors)).toEqual([]);
    expect(texts(created(cronJobs, cronJob({ schedule: '0 0 L * *' })).errors)).toEqual([
      'spec.schedule: Invalid value: "0 0 L * *": failed to parse int from L: strconv.Atoi: parsing "L": invalid syntax',
    ]);
    const { object } = created(cronJobs, annotated('extended'));
    const { errors } = updated(cronJobs, object, (draft) => {
      if (draft.spec) draft.spec.schedule = '0 0 L-3 * *';
    });
    expect(texts(errors).join()).toContain('invalid day of month "L-3"');
  });

  it('accepts a time zone in its schedule', () => {
    expect(created(cronJobs, cronJob({ schedule: 'TZ=Europe/Paris 0 0 * * *' })).errors).toEqual([]);
  });

  it('has a status that changes only through the subresource', () => {
    const { object } = created(cronJobs, cronJob());
    const lastScheduleTime = '2024-01-02T03:00:00Z';
    const change = (draft: typeof object): void => {
      draft.status = { lastScheduleTime };
    };
    expect(updated(cronJobs, object, change).object.status).toEqual({});
    expect(updated(cronJobs, object, change, 'status').object.status).toEqual({ lastScheduleTime });
  });

  it('shows schedule, suspension, active Jobs and last schedule in its row', () => {
    const object = {
      ...created(cronJobs, cronJob()).object,
      status: { lastScheduleTime: '2024-01-02T03:00:00Z' },
    };
    expect(row(cronJobs, object)).toMatchObject({
      Suspend: 'False',
      Active: 0,
      'Last Schedule': '4m5s',
      Selector: '<none>',
    });
  });
});
