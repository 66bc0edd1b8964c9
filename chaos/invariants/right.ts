/** Permitted writes of a controller: the resource (`*` for all), and the fields that an update may change. */
export interface Right {
  readonly resource: string;
  readonly creates?: true;
  readonly deletes?: true;
  /**
   * Dotted paths, including everything below them. A trailing `*` matches any rest: `data.jws-kubeconfig-*`.
   */
  readonly fields?: readonly string[];
}
