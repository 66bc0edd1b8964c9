import { createStore } from './store.ts';

const KEY = 'token';

/** The bearer token of this tab; '' where the connection's client certificate says who asks, or nothing does. */
export const token = createStore(sessionStorage.getItem(KEY) ?? '');

export function logIn(next: string): void {
  if (next === '') sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, next);
  token.set(next);
}

/** An answer that is none of the 2xx. */
export class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface Ask {
  readonly method?: string;
  readonly accept?: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

/** A request of the person who looks. Throws `Refused`. */
export async function ask(path: string, options: Ask = {}): Promise<Response> {
  const bearer = token.get();
  const response = await fetch(path, {
    method: options.method ?? 'GET',
    headers: {
      ...(bearer === '' ? {} : { authorization: `Bearer ${bearer}` }),
      ...(options.accept === undefined ? {} : { accept: options.accept }),
      ...(options.contentType === undefined ? {} : { 'content-type': options.contentType }),
    },
    ...(options.body === undefined ? {} : { body: options.body }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    cache: 'no-store',
  });
  if (!response.ok) throw new Refused(response.status, messageOf(await response.text(), response.status));
  return response;
}

export async function askJson<T>(path: string, options: Ask = {}): Promise<T> {
  return (await ask(path, { accept: 'application/json', ...options })).json();
}

function messageOf(text: string, status: number): string {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null && 'message' in parsed) return String(parsed.message);
  } catch {
    // Not every refusal is a Status.
  }
  return text.trim() || `answered with ${status}`;
}

/** The lines of a body as they come; ends when the body does. `heard` is called with each piece, also of a line. */
export async function* linesOf(response: Response, heard: () => void = () => {}): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) return;
    heard();
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

export interface Silence {
  /** Aborted when nothing has been heard for so long. */
  readonly signal: AbortSignal;
  readonly heard: () => void;
  readonly end: () => void;
}

/** Tells a connection that has died without a word, as one does while the computer sleeps. */
export function silenceOf(ms: number): Silence {
  const silent = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = (): void => clearTimeout(timer);
  const heard = (): void => {
    end();
    const problem = new Error(`nothing has been heard of the server for ${ms / 1_000} seconds`);
    timer = setTimeout(() => silent.abort(problem), ms);
  };
  heard();
  return { signal: silent.signal, heard, end };
}

/** Before it is asked again: a page has no clock but the browser's. */
export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
