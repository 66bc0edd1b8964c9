import { jobs } from '../../../api/groups/batch-v1.ts';
import { toTime } from '../../../base/clock/clock.ts';
import { HOUR, named, makes, drops, type History } from '../../invariants/histories/objects.fixture.ts';

const finished = (ttlSecondsAfterFinished: number, name = 'j') =>
  named(name, {
    spec: { ttlSecondsAfterFinished },
    status: { conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: toTime(0) }] },
  });
const finishedWith = (ttlSecondsAfterFinished: number) =>
  makes('user', jobs, finished(ttlSecondsAfterFinished));
/** Deletion of a second Job after its TTL. */
const deletesAnother = drops('ttlafterfinished', jobs, finished(1, 'another'), HOUR);

/** Histories of the invariants of `ttlafterfinished`. */
export const histories: readonly History[] = [
  [
    'ttlafterfinished/no-early-deletion',
    [drops('ttlafterfinished', jobs, named('j'))],
    [
      drops(
        'ttlafterfinished',
        jobs,
        named('j', {
          spec: { ttlSecondsAfterFinished: 1 },
          status: { conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: toTime(0) }] },
        }),
        HOUR,
      ),
    ],
  ],
  [
    'ttlafterfinished/expired-is-deleted',
    [finishedWith(1)],
    [
      makes('user', jobs, named('endless')),
      finishedWith(1),
      drops('ttlafterfinished', jobs, finished(1), HOUR),
    ],
    HOUR,
  ],
  // A run may end exactly when the TTL expires.
  ['ttlafterfinished/expired-is-deleted', [finishedWith(3_590)], [deletesAnother, finishedWith(3_600)], HOUR],
];
