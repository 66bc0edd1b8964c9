import type { Vocabulary } from '../../api/vocabulary/index.ts';

/** Annotation, label and finalizer keys of a Job and its pods. */
export interface JobNames {
  /** Annotation of a Job that counts its pods by finalizers; also the key of the finalizer. */
  readonly tracking: string;
  /** Annotation and label with the completion index of a pod of an Indexed Job. */
  readonly completionIndex: string;
}

/** Returns the keys in the key domain of a vocabulary. */
export const jobNames = (vocabulary: Vocabulary): JobNames => ({
  tracking: vocabulary.key('batch', 'job-tracking'),
  completionIndex: vocabulary.key('batch', 'job-completion-index'),
});

/** Environment variable with the completion index, set in each container. */
export const INDEX_VARIABLE = 'JOB_COMPLETION_INDEX';
/** Label with the Job's name, set on each pod. */
export const JOB_NAME_LABEL = 'job-name';
