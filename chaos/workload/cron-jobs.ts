import {
  MINUTE,
  SECOND,
  SHORT_MS,
  type Part,
  TEAM,
  create,
  later,
  oneOf,
  once,
  patch,
  remove,
  sometime,
} from './parts.ts';

export const podTemplate = (seconds: number, fails: boolean) => ({
  metadata: {
    annotations: { 'chaos/runs': String(seconds * SECOND), ...(fails && { 'chaos/fails': 'yes' }) },
  },
  spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] },
});

/** Number of missed runs that exceeds upstream's limit of 100; some CronJobs start with this many. */
export const MANY_MISSED = 120;

/**
 * Part: CronJobs of every policy, with Jobs shorter and longer than the interval, edited around their due
 * times.
 */
export const cronJobs: Part = (making) => {
  const { random, endsMs } = making;
  const isShort = endsMs < SHORT_MS;
  return Array.from({ length: 1 + random.int(2) }, (_, i) => {
    const name = `tick-${i}`;
    // Some Jobs outlast two runs; a shorter interval in a long run would show nothing new. Runs of a few
    // minutes need one minute.
    const everyMinutes = oneOf(random, isShort ? [1] : [10, 15, 20]);
    const bornMs = once(random, 6)
      ? -MANY_MISSED * everyMinutes * MINUTE
      : random.int(isShort ? 1 : 10) * MINUTE + random.int(isShort ? 10 : 60) * SECOND;
    const edit = (spec: unknown, afterMs = Math.max(0, bornMs)) => {
      const atMs = later(making, afterMs);
      // Just before, at, or just after a full minute.
      const nearMs = Math.ceil(atMs / MINUTE) * MINUTE + oneOf(random, [-1_000, -10, 0, 10, 1_000]);
      return patch(nearMs, 'batch/cronjobs', TEAM, name, { spec });
    };
    const pause = edit({ suspend: true });
    return [
      create(bornMs, 'batch/cronjobs', TEAM, name, {
        spec: {
          schedule: `*/${everyMinutes} * * * *`,
          concurrencyPolicy: oneOf(random, ['Allow', 'Forbid', 'Replace']),
          ...(once(random, 3) && { startingDeadlineSeconds: oneOf(random, [10, 100, 600]) }),
          ...(once(random, 3) && {
            timeZone: oneOf(random, ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata']),
          }),
          ...(once(random, 2) && {
            successfulJobsHistoryLimit: random.int(3),
            failedJobsHistoryLimit: random.int(2),
          }),
          jobTemplate: {
            spec: {
              template: podTemplate(oneOf(random, [2, 60, 400, 1_500]), once(random, 4)),
              backoffLimit: 0,
              ...(once(random, 4) && { ttlSecondsAfterFinished: 30 }),
            },
          },
        },
      }),
      ...(once(random, 3) ? [edit({ schedule: `*/${oneOf(random, [6, 12])} * * * *` })] : []),
      ...(once(random, 3) ? [pause, edit({ suspend: false }, pause.atMs)] : []),
      ...(once(random, 4)
        ? [edit({ concurrencyPolicy: oneOf(random, ['Allow', 'Forbid', 'Replace']) })]
        : []),
      ...(once(random, 5)
        ? [
            remove(
              later(making, Math.max(0, bornMs)),
              'batch/cronjobs',
              TEAM,
              name,
              oneOf(random, ['Background', 'Foreground', 'Orphan']),
            ),
          ]
        : []),
    ];
  }).flat();
};

/** Part: Jobs without owner that are deleted after a TTL. */
export const finishedJobs: Part = (making) => {
  const { random } = making;
  const atMs = sometime(making);
  return [
    create(atMs, 'batch/jobs', TEAM, 'single', {
      spec: {
        template: podTemplate(oneOf(random, [2, 60]), false),
        ttlSecondsAfterFinished: oneOf(random, [0, 60, 600]),
      },
    }),
    ...(once(random, 3)
      ? [
          patch(later(making, atMs), 'batch/jobs', TEAM, 'single', {
            spec: { ttlSecondsAfterFinished: 3_600 },
          }),
        ]
      : []),
  ];
};

/** Part: a Job of several pods, sometimes indexed, that may be suspended for a while. */
export const jobsOfManyPods: Part = (making) => {
  const { random } = making;
  const atMs = sometime(making);
  const job = (spec: unknown) => patch(later(making, atMs), 'batch/jobs', TEAM, 'many', { spec });
  return [
    create(atMs, 'batch/jobs', TEAM, 'many', {
      spec: {
        completions: 2 + random.int(3),
        parallelism: 1 + random.int(3),
        backoffLimit: random.int(3),
        ...(once(random, 2) && { completionMode: 'Indexed' }),
        template: podTemplate(oneOf(random, [2, 20, 90]), once(random, 4)),
      },
    }),
    ...(once(random, 3) ? [job({ suspend: true }), job({ suspend: false })] : []),
  ];
};
