import type { LifecycleDocument } from '../../lifecycles/documents.ts';

/** Returns the name of a lifecycle on the page: that of its kind, if it has one. */
export const titleOf = ({ id, noun }: LifecycleDocument): string =>
  id === 'deletion' ? 'deletion of any object' : noun;
