/** Edit of an object that has not been saved. */
export interface Draft {
  /** The edited YAML. */
  readonly text: string;
  /** The object's YAML from which the edit began. */
  readonly base: string;
}

const keyOf = (path: string): string => `draft ${path}`;

/** Returns the unsaved edit of the object at a path; undefined if there is none. */
export function draftOf(path: string): Draft | undefined {
  const stored = sessionStorage.getItem(keyOf(path));
  return stored === null ? undefined : (JSON.parse(stored) as Draft);
}

/**
 * Stores an edit in the session storage of the tab, so that it survives other views and a reload. `undefined`
 * removes it. An edit that exceeds the browser's storage exists only while its view is open.
 */
export function storeDraft(path: string, draft: Draft | undefined): void {
  if (draft === undefined) return sessionStorage.removeItem(keyOf(path));
  try {
    sessionStorage.setItem(keyOf(path), JSON.stringify(draft));
  } catch {
    sessionStorage.removeItem(keyOf(path));
  }
}

const VERSION = /^( {2}resourceVersion: ).*$/m;

/**
 * Returns the text with the resource version of another text, so that the server accepts a write over that
 * version.
 */
export function withVersionOf(text: string, other: string): string {
  const line = VERSION.exec(other)?.[0];
  return line === undefined ? text : text.replace(VERSION, () => line);
}
