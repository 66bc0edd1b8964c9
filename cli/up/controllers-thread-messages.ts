import type { MessagePort } from 'node:worker_threads';
import { CodedError, asError } from '../../base/errors/index.ts';

/** Data with which the controllers' thread is created. */
export interface ThreadData {
  /** Name of the thread in its log lines. */
  readonly name: string;
  readonly verbosity: number;
  /** `SharedOffset.memory` if a parent process controls the wall clock. */
  readonly offset?: SharedArrayBuffer;
}

/** Request to run a controller manager, which the thread assembles at once. */
export interface ManagerOrder {
  /** Arguments of the command `up`. */
  readonly argv: readonly string[];
  /** Port for API requests, which are authenticated as the controller manager. */
  readonly api: MessagePort;
  /** Port for requests of the API server's state, which the dashboard displays. */
  readonly server: MessagePort;
  /** Port on which the manager serves its health and its journal. */
  readonly manager: MessagePort;
  /** Port for the steps after the assembly. The thread reports the end of each step. */
  readonly steps: MessagePort;
}

export type Step = 'assemble' | 'start' | 'stop';

export interface StepEnd {
  readonly step: Step;
  readonly failure?: Failure;
}

/** Error in the form in which it is sent to another thread, because a message loses its class. */
export interface Failure {
  readonly message: string;
  readonly stack: string | undefined;
  /** Code of an expected error. */
  readonly code?: string;
}

export function toFailure(thrown: unknown): Failure {
  const { message, stack } = asError(thrown);
  return { message, stack, ...(thrown instanceof CodedError && { code: thrown.code }) };
}

export function fromFailure({ message, stack, code }: Failure): Error {
  const error = code === undefined ? new Error(message) : new CodedError(code, message);
  if (stack !== undefined) error.stack = stack;
  return error;
}

/**
 * Header with the name of the authenticated user, encoded as a part of a URL. The API server's thread sends no
 * other header, so a client cannot set it.
 */
export const REQUESTER_HEADER = 'x-requester';

/** Path of the manager's health. All other paths belong to the journal. */
export const HEALTH_PATH = '/healthz';

/** Path of the trace contexts of writes. All other paths of the server port belong to its facts. */
export const CONTEXTS_PATH = '/trace-contexts';

/** Maximum size in bytes of a request for trace contexts. */
export const CONTEXTS_LIMIT = 1_048_576;
