import type { Vocabulary } from '../../api/vocabulary/index.ts';

/** Keys that a Job's pods and the Job itself are marked with. */
export interface JobNames {
  /** Annotation of a Job whose status counts by finalizers, and the finalizer of its pods. */
  readonly tracking: string;
  /** Annotation and label of the pods of an Indexed Job. */
  readonly completionIndex: string;
}

/** Returns the annotations of a Job in a vocabulary. */
export const jobNames = (vocabulary: Vocabulary): JobNames => ({
  tracking: vocabulary.key('batch', 'job-tracking'),
  completionIndex: vocabulary.key('batch', 'job-completion-index'),
});

export const INDEX_VARIABLE = 'JOB_COMPLETION_INDEX';
export const JOB_NAME_LABEL = 'job-name';
