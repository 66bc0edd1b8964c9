import type { Vocabulary } from '../../api/vocabulary/index.ts';

/** Annotation, label and finalizer keys of a Job and its pods. */
export interface JobNames {
  /** Annotation of a Job that counts its pods by finalizers, and that finalizer. */
  readonly tracking: string;
  /** Annotation and label of the pods of an Indexed Job. */
  readonly completionIndex: string;
}

/** Returns the keys in the domain of a vocabulary. */
export const jobNames = (vocabulary: Vocabulary): JobNames => ({
  tracking: vocabulary.key('batch', 'job-tracking'),
  completionIndex: vocabulary.key('batch', 'job-completion-index'),
});

/** Environment variable that holds the completion index in each container. */
export const INDEX_VARIABLE = 'JOB_COMPLETION_INDEX';
/** Label that holds the Job's name on each pod. */
export const JOB_NAME_LABEL = 'job-name';
