import type { ApiError } from '../../api/status/api-error.ts';
import type { Vocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { RawRequest } from '../../runtime/client/client.ts';

/** What a command works with: a server that is asked as somebody, and where its words come from and go. */
export interface Terminal {
  readonly vocabulary: Vocabulary;
  /** The namespace that is meant where a command names none. */
  readonly namespace: string;
  /** The body of a successful answer; throws `ApiError` for a refusal. Warnings of the server are told. */
  ask(request: RawRequest): Promise<unknown>;
  /** The lines of an answer that goes on until its server ends it, or the user. */
  follow(path: string, accept: string): AsyncIterable<string>;
  /** Writes to standard output. */
  print(text: string): void;
  /** Writes a line beside the output. */
  tell(line: string): void;
  /** Text of a file; `-` is standard input. */
  read(path: string): Promise<string>;
}

/** A refusal as the field's clients word it. */
export const describeRefusal = ({ status: { reason = 'Unknown', message = '' } }: ApiError): string =>
  `Error from server (${reason}): ${message}`;
