/** Address of an object in the API, with the served name of its group. */
export interface ObjectLink {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  /** Absent for a cluster-scoped object. */
  readonly namespace?: string;
  readonly name: string;
}

/** One entry of the list of what needs attention. */
export interface AttentionItem {
  /** Name of the rule, such as `deletion-blocked`. */
  readonly reason: string;
  /** Controller whose work waits. */
  readonly controller: string;
  /** Object that needs attention. Absent if the key names no object. */
  readonly object?: ObjectLink;
  /** Key of the controller in the journal. Absent if the rule does not depend on a key. */
  readonly key?: string;
  /** One sentence that says what is wrong and what blocks the object. */
  readonly sentence: string;
  /** Object that blocks it. Absent if no object does. */
  readonly blocker?: ObjectLink;
  /** Start of the condition, in milliseconds since the epoch. */
  readonly sinceMs: number;
}
