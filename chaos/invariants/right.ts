/** Permitted writes of a controller: the resource (`*` for all), and the fields that an update may change. */
export interface Right {
  readonly resource: string;
  readonly creates?: true;
  readonly deletes?: true;
  /**
   * Dotted paths of fields; each includes the fields below it. A trailing `*` matches any suffix:
   * `data.jws-kubeconfig-*`.
   */
  readonly fields?: readonly string[];
}
