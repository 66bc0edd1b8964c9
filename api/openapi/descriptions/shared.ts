/** Descriptions of the fields that all conditions share. */
export const CONDITION = {
  lastTransitionTime: 'When the status last changed.',
  message: 'Why the condition is as it is, in words for people.',
  reason: 'Why the condition is as it is, as one word in CamelCase for programs.',
  status: '`True`, `False` or `Unknown`.',
};

/**
 * Descriptions of the fields that all objects share. A type may override them. Upstream's conformance suite
 * checks the first words of some descriptions.
 */
export const OBJECT = {
  apiVersion: 'APIVersion defines the group and version that the object is written in, such as `apps/v1`.',
  kind: 'Kind of the object in CamelCase; it cannot be changed.',
  metadata: "Standard object's metadata: name, namespace, labels and what else every object has.",
};

/** Descriptions of the fields that all lists share. */
export const LIST = {
  apiVersion: 'Group and version that the list is written in, such as `apps/v1`.',
  items: (plural: string): string => `List of ${plural}, or of those on this page.`,
  kind: 'Kind of the list in CamelCase.',
  metadata: 'Version of the collection, and the way to its next page.',
};
