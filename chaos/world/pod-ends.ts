import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';
import { controllerOf } from '../../runtime/index.ts';

/** End of a pod: with success, with a failure, or by being deleted. */
export interface PodEnd {
  readonly how: 'succeeds' | 'fails' | 'vanishes';
  /** Exit code of the container; undefined if the node reports none. */
  readonly exitCode?: number;
}

/**
 * Annotation for the ends of consecutive pods of one controller: `fails:137 vanishes succeeds:0`. The last one
 * repeats. Default `succeeds`.
 */
export const ENDS = 'chaos/ends';

const HOW = ['succeeds', 'fails', 'vanishes'] as const;

function readEnd(text: string): PodEnd {
  const [name = '', code] = text.split(':');
  const how = HOW.find((each) => each === name) ?? 'succeeds';
  return code === undefined ? { how } : { how, exitCode: Number(code) };
}

/** Counts the pods of each controller, to return the end of the next one. */
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

/** Returns the status of an ended pod, with a terminated container if the node reports an exit code. */
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
