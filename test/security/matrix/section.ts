/** Permissions of one credential. */
export interface Section {
  /** Name of a credential in `cluster.ts`. */
  readonly who: string;
  /** Property that the rows demonstrate. */
  readonly shows: string;
  /**
   * One line for each request: method, path, the body's name if it matters (`<body>`, in `bodies.ts`),
   * status, and reason.
   *
   * The reason of a permitted request is the binding that allows it, or `system:masters` or `Node` if no
   * binding does. The reason of a 403 is what the user may not do (`list pods in team`, `list
   * deployments.apps`, `get path`), or the message after a colon. A 401 has no reason.
   *
   * Writes are dry runs, so that all rows apply to the same cluster. An update sends the object unchanged, a
   * patch sets a label.
   */
  readonly rows: string;
}
