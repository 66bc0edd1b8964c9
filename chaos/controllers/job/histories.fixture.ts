import { jobs } from '../../../api/groups/batch-v1.ts';
import { pods } from '../../../api/groups/core-v1.ts';
import type { ApiObject } from '../../../api/kinds/kind.ts';
import { orchVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { toTime } from '../../../base/clock/clock.ts';
import {
  HOUR,
  ending,
  makes,
  named,
  owned,
  turns,
  type History,
} from '../../invariants/histories/objects.fixture.ts';

const tracking = orchVocabulary.key('batch', 'job-tracking');
const completionIndex = orchVocabulary.key('batch', 'job-completion-index');
const job = (status: object = {}, spec: object = {}, metadata: object = {}): ApiObject =>
  named('work', { spec: { parallelism: 1, ...spec }, status }, { creationTimestamp: toTime(0), ...metadata });
/** A Job without the annotation of tracked Jobs, which is counted by its existing pods. */
const RELEASED = { uid: 'released' };
const tracked = (status: object): ApiObject =>
  job(status, {}, { ...RELEASED, annotations: { [tracking]: '' } });
const begun = (spec: object): ApiObject => job({ startTime: toTime(0) }, spec);
const over = (...types: readonly string[]) => ({
  conditions: types.map((type) => ({ type, status: 'True', lastTransitionTime: toTime(0) })),
});
const pod = (
  name: string,
  phase: string,
  finalizers: readonly string[] = [],
  annotations: Readonly<Record<string, string>> = {},
): ApiObject => {
  const made = owned(name, 'work', { status: { phase } });
  return {
    ...made,
    metadata: {
      ...made.metadata,
      annotations,
      ...(finalizers.length > 0 && { finalizers: [...finalizers] }),
    },
  };
};
const isOver = (name: string) => turns('user', pods, pod(name, 'Running'), pod(name, 'Succeeded'));
const letGo = (name: string) =>
  turns('job', pods, pod(name, 'Succeeded', [tracking]), pod(name, 'Succeeded'));
const letGoOf = (index: string, name: string) => {
  const annotations = { [completionIndex]: index };
  const before = pod(name, 'Succeeded', [tracking], annotations);
  return turns('job', pods, before, pod(name, 'Succeeded', [], annotations));
};
const indexed = makes(
  'user',
  jobs,
  job({ succeeded: 1, completedIndexes: '0' }, { completionMode: 'Indexed' }),
);

/** Histories of the invariants of `job`. */
export const histories: readonly History[] = [
  [
    'job/finished-stays',
    [turns('job', jobs, job(over('Complete')), job(over('Complete', 'Failed')))],
    [turns('job', jobs, job(), job({ ...over('Complete'), succeeded: 1 }))],
  ],
  [
    'job/counts-grow',
    [turns('job', jobs, job({ succeeded: 2 }), job({ succeeded: 1 }))],
    [
      turns('job', jobs, job({ succeeded: 1 }), job({ succeeded: 1, failed: 1 })),
      turns('user', jobs, tracked({ succeeded: 2 }), job({ succeeded: 2 }, {}, RELEASED)),
      turns('job', jobs, job({ succeeded: 2 }, {}, RELEASED), job({ succeeded: 1 }, {}, RELEASED)),
    ],
  ],
  [
    'job/no-double-count',
    [isOver('a'), turns('job', jobs, job({ succeeded: 1 }), job({ succeeded: 2 }))],
    [isOver('a'), isOver('b'), turns('job', jobs, job({ succeeded: 1 }), job({ succeeded: 2 }))],
  ],
  [
    'job/no-uncounted-release',
    [makes('user', jobs, job({ succeeded: 1 })), letGo('a'), letGo('b')],
    [
      makes('user', jobs, job({ succeeded: 1, uncountedTerminatedPods: { succeeded: ['b'] } })),
      letGo('a'),
      letGo('b'),
    ],
  ],
  [
    'job/no-uncounted-release',
    [indexed, letGoOf('0', 'a'), letGoOf('1', 'b')],
    [indexed, letGoOf('0', 'a'), letGoOf('0', 'b')],
  ],
  [
    'job/server-clock-times',
    [turns('job', jobs, job(), job({ startTime: toTime(HOUR) }))],
    [
      turns(
        'job',
        jobs,
        job({ startTime: toTime(HOUR) }),
        job({ startTime: toTime(HOUR), ...over('Complete') }),
      ),
    ],
  ],
  [
    'job/job-finishes',
    [makes('user', jobs, job()), makes('job', pods, pod('a', 'Succeeded'))],
    [makes('user', jobs, job()), makes('job', pods, pod('a', 'Running'))],
    HOUR,
  ],
  [
    'job/no-held-pod',
    [makes('user', jobs, job(over('Complete'))), makes('job', pods, pod('a', 'Succeeded', [tracking]))],
    [makes('user', jobs, job(over('Complete'))), makes('job', pods, pod('a', 'Succeeded'))],
    HOUR,
  ],
  [
    'job/no-surplus-pod',
    [
      makes('user', jobs, job()),
      makes('job', pods, pod('a', 'Running')),
      makes('job', pods, pod('b', 'Running')),
    ],
    [
      makes('user', jobs, job()),
      makes('user', jobs, named('ends', {}, ending)),
      makes('job', pods, pod('a', 'Running')),
      makes('job', pods, pod('b', 'Succeeded')),
    ],
    HOUR,
  ],
  [
    'job/no-surplus-pod',
    [makes('user', jobs, job({}, { suspend: true })), makes('job', pods, pod('a', 'Running'))],
    [makes('user', jobs, job({}, { suspend: false })), makes('job', pods, pod('a', 'Running'))],
    HOUR,
  ],
  [
    'job/no-surplus-pod',
    [makes('user', jobs, begun({ activeDeadlineSeconds: 60 })), makes('job', pods, pod('a', 'Running'))],
    [makes('user', jobs, begun({ activeDeadlineSeconds: 7_200 })), makes('job', pods, pod('a', 'Running'))],
    HOUR,
  ],
];
