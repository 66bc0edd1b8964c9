import type { MessagePort } from 'node:worker_threads';
import { CodedError, asError } from '../base/errors/index.ts';

/** Data the controllers' thread is created with. */
export interface ThreadData {
  /** Name in its log lines. */
  readonly name: string;
  readonly verbosity: number;
  /** `SharedOffset.memory`; set if a parent process controls the wall clock. */
  readonly offset?: SharedArrayBuffer;
}

/** Request to run a controller manager. The thread assembles it at once. */
export interface ManagerOrder {
  /** Arguments of `up`. */
  readonly argv: readonly string[];
  /** Port for API requests, authenticated as the controller manager. */
  readonly api: MessagePort;
  /** Port for the state of the API server, which the dashboard shows. */
  readonly server: MessagePort;
  /** Port on which the manager serves its health and its journal. */
  readonly manager: MessagePort;
  /** Port for steps after the first one; the thread reports the end of each. */
  readonly steps: MessagePort;
}

export type Step = 'assemble' | 'start' | 'stop';

export interface StepEnd {
  readonly step: Step;
  readonly failure?: Failure;
}

/** Error in transit to another thread, which loses its class. */
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

/** Path of the manager's health; all other paths belong to the journal. */
export const HEALTH_PATH = '/healthz';
