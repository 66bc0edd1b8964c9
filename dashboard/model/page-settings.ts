/** What the page must know before anyone has said who they are; nothing of the cluster. */
export interface PageSettings {
  /** As the page names itself. */
  readonly product: string;
  /** Full names of API groups, which depend on the vocabulary. */
  readonly groups: { readonly meta: string; readonly authorization: string };
  /** `alone`: there is no API server behind the same address; `file`: what is shown is a journal file. */
  readonly mode: 'live' | 'alone' | 'file';
  /** Whether a token of the person who looks goes with what the page asks for. */
  readonly signsIn: boolean;
}
