import { createStore } from './store.ts';

const KEY = 'token';

/**
 * Bearer token of this tab. It is '' if the user is identified by a client certificate or is not identified.
 */
export const token = createStore(sessionStorage.getItem(KEY) ?? '');

/**
 * Stores a bearer token in the tab's session storage. An empty token signs the user out and removes all that the
 * tab stores, because unsaved edits may contain what the next user may not see.
 */
export function logIn(next: string): void {
  if (next === '') sessionStorage.clear();
  else sessionStorage.setItem(KEY, next);
  token.set(next);
}

/** Error for a response with a status outside 200–299. */
export class ResponseError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Options of a request. The default is GET without a body. */
export interface RequestOptions {
  readonly method?: string;
  readonly accept?: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

/** Sends a request with the user's token. Throws `ResponseError`. */
export async function send(path: string, options: RequestOptions = {}): Promise<Response> {
  return sendAs(token.get(), path, options);
}

/** Returns true unless the server rejects the token as unknown. Throws if the server cannot be reached. */
export async function isKnownToken(bearer: string): Promise<boolean> {
  try {
    await sendAs(bearer, '/api');
    return true;
  } catch (thrown) {
    if (!(thrown instanceof ResponseError)) throw thrown;
    return thrown.status !== 401;
  }
}

async function sendAs(bearer: string, path: string, options: RequestOptions = {}): Promise<Response> {
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
  if (!response.ok)
    throw new ResponseError(response.status, messageOf(await response.text(), response.status));
  return response;
}

/** Sends a request with the user's token and parses the response as JSON. Throws `ResponseError`. */
export async function sendForJson<T>(path: string, options: RequestOptions = {}): Promise<T> {
  return (await send(path, { accept: 'application/json', ...options })).json();
}

function messageOf(text: string, status: number): string {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null && 'message' in parsed) return String(parsed.message);
  } catch {
    // A proxy or the journal API may reject a request with plain text instead of a Status.
  }
  return text.trim() || `the server returned HTTP ${status}`;
}

/**
 * Yields the complete lines of a streamed body. `onChunk` runs for each chunk, even if it completes no line.
 */
export async function* linesOf(response: Response, onChunk: () => void = () => {}): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) return;
    onChunk();
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

/** Timer that aborts a connection on which no data arrives. */
export interface IdleTimeout {
  /** Signal that aborts when `ms` milliseconds have passed without a `restart`. */
  readonly signal: AbortSignal;
  readonly restart: () => void;
  readonly end: () => void;
}

/**
 * Starts an idle timeout. A connection can die without being closed, for example while the computer sleeps.
 */
export function idleTimeout(ms: number): IdleTimeout {
  const idle = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = (): void => clearTimeout(timer);
  const restart = (): void => {
    end();
    const problem = new Error(`no data from the server for ${ms / 1_000} seconds`);
    timer = setTimeout(() => idle.abort(problem), ms);
  };
  restart();
  return { signal: idle.signal, restart, end };
}

/** Waits for a time on the browser's clock. */
export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
