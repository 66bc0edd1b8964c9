import type { MessagePort } from 'node:worker_threads';
import { CodedError, asError } from '../base/errors/coded.ts';

/** What the thread of the controllers is made with. */
export interface ThreadData {
  /** Of its lines in the log. */
  readonly name: string;
  readonly verbosity: number;
  /** `SharedOffset.memory`, where the wall clock is set by somebody. */
  readonly offset?: SharedArrayBuffer;
}

/** A controller manager that the thread is told to run. It puts it together at once. */
export interface ManagerOrder {
  /** Arguments of `up`. */
  readonly argv: readonly string[];
  /** Asks the API server, as the controller manager. */
  readonly api: MessagePort;
  /** Asks what the API server does now, which the dashboard tells. */
  readonly server: MessagePort;
  /** Answers for the manager: how it fares, and its journal. */
  readonly manager: MessagePort;
  /** Takes steps after the first, and tells the end of each. */
  readonly steps: MessagePort;
}

export type Step = 'assemble' | 'start' | 'stop';

export interface StepEnd {
  readonly step: Step;
  readonly failure?: Failure;
}

/** An error on its way to another thread, which keeps no classes. */
export interface Failure {
  readonly message: string;
  readonly stack: string | undefined;
  /** Of an error that was expected. */
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

/** Of the manager's own answers; the others are the journal's. */
export const HEALTH_PATH = '/healthz';
