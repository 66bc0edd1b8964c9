import type { ApiError } from '../../api/status/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { RawRequest } from '../../runtime/client/index.ts';

/** Environment of a command: a server with a user, and input and output. */
export interface Terminal {
  readonly vocabulary: Vocabulary;
  /** Namespace for commands that name none. */
  readonly namespace: string;
  /**
   * Sends a request and returns the body of a successful response. Throws `ApiError` for a refusal; prints
   * warnings of the server.
   */
  ask(request: RawRequest): Promise<unknown>;
  /** Yields the lines of a streamed response until the server or the user ends it. */
  follow(path: string, accept: string): AsyncIterable<string>;
  /** Writes to standard output. */
  print(text: string): void;
  /** Writes a line to standard error. */
  tell(line: string): void;
  /** Returns the text of a file; `-` is standard input. */
  read(path: string): Promise<string>;
}

/** Formats a refusal like kubectl. */
export const describeRefusal = ({ status: { reason = 'Unknown', message = '' } }: ApiError): string =>
  `Error from server (${reason}): ${message}`;
