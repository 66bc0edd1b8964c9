import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';
import { controllerOf } from '../../runtime/index.ts';

/** End of a pod: with success, with a failure, or by being deleted. */
export interface PodEnd {
  readonly how: 'succeeds' | 'fails' | 'vanishes';
  /** Exit code of the container; undefined if the node reports none. */
  readonly exitCode?: number;
}

/**
 * Name of the annotation that lists the ends of consecutive pods of one controller: `fails:137 vanishes
 * succeeds:0`. Later pods get the last entry. Without the annotation, pods succeed.
 */
export const ENDS = 'chaos/ends';

const HOW = ['succeeds', 'fails', 'vanishes'] as const;

function readEnd(text: string): PodEnd {
  const [name = '', code] = text.split(':');
  const how = HOW.find((each) => each === name) ?? 'succeeds';
  return code === undefined ? { how } : { how, exitCode: Number(code) };
}

/**
 * Creates a function that returns the end of each pod. The state is the number of pods of each controller.
 */
export function createPodEnds() {
  const counts = new Map<string, number>();
  return {
    next(object: DeepReadonly<ApiObject>, annotations: Readonly<Record<string, string>>): PodEnd {
      const ends = (annotations[ENDS] ?? '').split(' ');
      const of = controllerOf(object)?.uid ?? object.metadata?.uid ?? '';
      const nth = counts.get(of) ?? 0;
      counts.set(of, nth + 1);
      return readEnd(ends[Math.min(nth, ends.length - 1)] ?? '');
    },
  };
}

/** Returns the status of an ended pod. It has a terminated container if the node reports an exit code. */
export const endedPodStatus = ({ how, exitCode }: PodEnd, time: string): object => ({
  phase: how === 'fails' ? 'Failed' : 'Succeeded',
  ...(exitCode !== undefined && {
    containerStatuses: [
      {
        name: 'c',
        image: 'i',
        imageID: '',
        ready: false,
        restartCount: 0,
        state: { terminated: { exitCode, finishedAt: time } },
      },
    ],
  }),
});
