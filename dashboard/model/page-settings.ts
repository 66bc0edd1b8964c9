/** Settings that the page needs before sign-in. They are public and reveal nothing of the cluster. */
export interface PageSettings {
  /** Name of this program in the page's header and title, in every vocabulary. */
  readonly product: string;
  /** Full names of API groups, which depend on the vocabulary. */
  readonly groups: {
    readonly meta: string;
    readonly authorization: string;
    readonly certificates: string;
  };
  /** Key of the annotation that names the dialect of a CronJob's schedule. */
  readonly dialectAnnotation: string;
  /** Key of the annotation of a Job that a user created from a CronJob. */
  readonly instantiateAnnotation: string;
  /**
   * `live` if an API server has the same address, `alone` if there is none, `file` if the page replays a
   * journal file.
   */
  readonly mode: 'live' | 'alone' | 'file';
  /** True if the page sends a bearer token that the user enters. */
  readonly signsIn: boolean;
}
