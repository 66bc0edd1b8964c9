import type { ApiError } from '../../api/status/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import type { RawRequest } from '../../runtime/client/index.ts';
import type { Discovery } from './discovery.ts';

/** Environment of a command: a server with a user, input and output. */
export interface Terminal {
  readonly clock: Clock;
  readonly vocabulary: Vocabulary;
  readonly discovery: Discovery;
  /** Namespace for commands without `--namespace`. */
  readonly namespace: string;
  /**
   * Sends a request and returns the body of a successful response. Prints warnings of the server. Throws
   * `ApiError` for an error response.
   */
  ask(request: RawRequest): Promise<unknown>;
  /** Returns the text of a successful response as the server sent it. Throws `ApiError` for an error response. */
  text(path: string): Promise<string>;
  /** Returns the lines of a streamed response until the server or the user ends the stream. */
  follow(path: string, accept: string, signal?: AbortSignal): AsyncIterable<string>;
  /** Writes to standard output. */
  print(text: string): void;
  /** Writes a line to standard error. */
  notice(line: string): void;
  /** Returns the manifests in a folder by name, or the path itself if it is no folder. */
  list(path: string, recursive: boolean): Promise<readonly string[]>;
  /** Returns the content of a file; `-` is standard input. */
  read(path: string): Promise<string>;
}

/** Formats an error response as kubectl does. */
export const describeRefusal = ({ status: { reason = 'Unknown', message = '' } }: ApiError): string =>
  `Error from server (${reason}): ${message}`;
